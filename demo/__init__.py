"""The generator of the demo: draws its images, runs scripted agents on them and writes both as data of the product."""
