"""The arms of the faithfulness lab: one controlled change of a recorded trajectory each. Source:
docs/experiments.md#faithfulness-lab."""
