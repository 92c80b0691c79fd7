"""The notations of calls and boxes of models, one module for each dialect."""
