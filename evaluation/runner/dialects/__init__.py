"""How models write calls and boxes, one module for each dialect."""
