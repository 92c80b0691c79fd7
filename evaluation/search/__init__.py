"""The one search of the site: benchmarks, samples, runs, saved slices and pages that a person may open."""
