"""How good the work is: agreement, gold checks, audits and second opinions."""
