//! What is said of API servers, races, traffic and faults.
