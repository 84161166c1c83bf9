"""The textbook dialect: ID3, C4.5 and CART as books describe them."""
