//! The names of fields in Go, which messages about wire types mention.

/// How Go calls a field of a JSON name.
pub(super) fn go_name(json: &str) -> String {
    let name = match json {
        "metadata" => "ObjectMeta",
        "uid" => "UID",
        "apiVersion" => "APIVersion",
        "apiGroup" => "APIGroup",
        "apiGroups" => "APIGroups",
        "url" => "URL",
        "uri" => "URI",
        "ip" => "IP",
        "ips" => "IPs",
        "tls" => "TLS",
        "http" => "HTTP",
        "tty" => "TTY",
        "csi" => "CSI",
        "nfs" => "NFS",
        "iscsi" => "ISCSI",
        "rbd" => "RBD",
        "fc" => "FC",
        "cidr" => "CIDR",
        _ => "",
    };
    if !name.is_empty() {
        return name.to_owned();
    }
    let mut letters = json.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
