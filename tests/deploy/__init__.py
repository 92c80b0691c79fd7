"""The product as it is deployed: from the shipped locks alone, in the layout of compose, on one host and on two."""
