"""Notifications of people: their inbox, their emails, and the choice of either for each kind."""
