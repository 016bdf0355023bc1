"""Evidence packs: what is known of a round or a shoe, put into words and files for outsiders."""
