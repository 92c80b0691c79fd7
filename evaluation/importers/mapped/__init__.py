"""JSON that no format fits, read by a mapping of fields to paths of keys. ``reading`` is the importer."""
