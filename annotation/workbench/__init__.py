"""The workbench of reference toolchains."""
