"""The workbench of reference chains."""
