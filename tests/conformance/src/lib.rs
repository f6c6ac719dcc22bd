//! Replays recorded conversations.
