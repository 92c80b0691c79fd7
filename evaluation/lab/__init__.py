"""The faithfulness lab of a run: what its arms show about looking, and what they cannot show."""
