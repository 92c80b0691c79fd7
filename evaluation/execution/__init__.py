"""Attempts at work: the conversation, the endpoint, the toolbox and the sandbox of one sample. No framework and no
database: what must last goes through the owner of the pool."""
