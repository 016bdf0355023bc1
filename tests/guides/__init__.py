"""The guides of docs/ do what they say: their requests run, and their answers are those shown."""
