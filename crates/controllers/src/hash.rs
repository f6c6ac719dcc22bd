//! The hash of a pod template, which the names and labels of ReplicaSets have.
//!
//! See <https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#pod-template-hash-label>.

mod dump;
mod types;

use json_tree::Value;

/// The characters of hashes: none makes a word.
const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// Returns the `pod-template-hash` of a pod template. `collision_count` is the one in the status of its Deployment, if there is one.
pub(crate) fn of_template(template: &Value, collision_count: Option<i64>) -> String {
    let mut hash = Fnv::default();
    hash.write(dump::pod_template(template).as_bytes());
    if let Some(count) = collision_count {
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&(count as u32).to_le_bytes());
        hash.write(&bytes);
    }
    encode(&hash.0.to_string())
}

/// Replaces each character by one that is safe in names.
fn encode(text: &str) -> String {
    text.bytes().map(|byte| char::from(ALPHABET[usize::from(byte) % ALPHABET.len()])).collect()
}

/// The hash FNV-1a of 32 bits, as Go's `fnv.New32a`.
struct Fnv(u32);

impl Default for Fnv {
    fn default() -> Self {
        Self(0x811c_9dc5)
    }
}

impl Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_kubernetes() {
        let cases: Value =
            serde_json::from_str(include_str!("../tests/tables/pod_template_hashes.json")).unwrap();
        for case in cases.as_array().unwrap() {
            let template = &case["template"];
            assert_eq!(dump::pod_template(template), case.text("dump"));
            let count = case.get("collisionCount").and_then(Value::as_i64);
            assert_eq!(of_template(template, count), case.text("hash"));
        }
    }
}
