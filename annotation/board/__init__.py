"""The building board: items of tool plans go through their stages until they are samples."""
