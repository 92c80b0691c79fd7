"""Human studies: people answer a stratified sample of a benchmark, which becomes a separate run."""
