"""Human studies: people take a stratified sample of a benchmark as a run of their own."""
