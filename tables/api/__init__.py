"""How machines read what was dealt and send what is being dealt."""
