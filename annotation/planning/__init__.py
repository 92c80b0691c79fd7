"""Planning, time and payment: work packages with forecasts, active time by person and month, and what is paid."""
