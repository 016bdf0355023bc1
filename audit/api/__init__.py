"""What machines and signed-in people may ask and order about incidents, rulings and what was told."""
