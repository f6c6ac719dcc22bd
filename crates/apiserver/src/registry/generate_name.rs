//! Names that the server makes.
//!
//! See <https://kubernetes.io/docs/reference/using-api/api-concepts/#generated-values>.

use crate::Random;

/// No vowels and nothing that looks like another character, so that no words come about.
const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
const MAX_NAME: usize = 63;
const SUFFIX: usize = 5;

/// A name from `prefix` (an object's `generateName`) and five random characters. Of a longer prefix the first 58
/// bytes count.
pub(crate) fn generate_name(prefix: &str, random: &dyn Random) -> String {
    let mut end = prefix.len().min(MAX_NAME - SUFFIX);
    while !prefix.is_char_boundary(end) {
        end -= 1;
    }
    let mut name = prefix[..end].to_owned();
    let mut bytes = [0; 8];
    random.fill(&mut bytes);
    let mut number = u64::from_le_bytes(bytes);
    for _ in 0..SUFFIX {
        name.push(char::from(ALPHABET[(number % 27) as usize]));
        number /= 27;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededRandom;

    #[track_caller]
    fn check(prefix: &str, kept: &str) {
        let name = generate_name(prefix, &SeededRandom::new(7));
        let suffix = name.strip_prefix(kept).unwrap_or_default();
        assert_eq!(suffix.len(), 5, "{name}");
        assert!(suffix.bytes().all(|b| ALPHABET.contains(&b)), "{name}");
    }

    #[test]
    fn five_characters_follow_the_prefix() {
        check("g-", "g-");
        check("", "");
        check(&"x".repeat(70), &"x".repeat(58));
        check(&"é".repeat(40), &"é".repeat(29));
    }

    #[test]
    fn names_differ() {
        let random = SeededRandom::new(1);
        assert_ne!(generate_name("a-", &random), generate_name("a-", &random));
    }
}
