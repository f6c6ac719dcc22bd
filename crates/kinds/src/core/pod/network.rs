//! The network of a pod: how it is named and found, and how it finds others.
//!
//! See <https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/>.

use json_tree::Value;

use super::all_containers;
use super::check::{Errors, address, choice, each, well_formed};
use crate::validation::name;
use crate::validation::read::{at, get, integer, is_true, list, text};
use field::{AddError, Path};

const POLICIES: [&str; 4] = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const MAX_NAMESERVERS: usize = 3;
const MAX_SEARCHES: usize = 32;
const MAX_SEARCH_CHARACTERS: usize = 2048;
const MAX_HOSTNAME: usize = 64;

/// On the host's network, a port of a container is that of the host. A template may leave it to its pods.
pub(super) fn host_ports(spec: &Value, in_pod: bool, path: &Path, errors: &mut Errors) {
    if !is_true(spec, "hostNetwork") {
        return;
    }
    for (container, path) in each(spec, "containers", path) {
        for (port, path) in each(container, "ports", &path) {
            let host = integer(port, "hostPort").unwrap_or_default();
            let own = integer(port, "containerPort").unwrap_or_default();
            if (in_pod || host != 0) && host != own {
                let why = "must match `containerPort` when `hostNetwork` is true";
                errors.invalid(path.child("hostPort"), host, why);
            }
        }
    }
}

pub(super) fn dns_policy(spec: &Value, path: &Path, errors: &mut Errors) {
    choice(spec, "dnsPolicy", &POLICIES, path, errors);
}

pub(super) fn dns_config(spec: &Value, path: &Path, errors: &mut Errors) {
    let (config, path) = (at(spec, "/dnsConfig"), path.child("dnsConfig"));
    let servers = list(config, "nameservers");
    let at_servers = path.child("nameservers");
    if text(spec, "dnsPolicy") == "None" {
        if config.is_null() {
            let why = "must provide `dnsConfig` when `dnsPolicy` is None";
            errors.required(&path, why);
            return;
        }
        if servers.is_empty() {
            let why = "must provide at least one DNS nameserver when `dnsPolicy` is None";
            errors.required(&at_servers, why);
            return;
        }
    }
    if servers.len() > MAX_NAMESERVERS {
        let why = "must not have more than 3 nameservers";
        errors.invalid(&at_servers, servers.to_vec(), why);
    }
    for (index, server) in servers.iter().enumerate() {
        address(server.as_str().unwrap_or_default(), &at_servers.index(index), errors);
    }
    let (searches, at_searches) = (list(config, "searches"), path.child("searches"));
    if searches.len() > MAX_SEARCHES {
        let why = "must not have more than 32 search paths";
        errors.invalid(&at_searches, searches.to_vec(), why);
    }
    let domains = || searches.iter().map(|search| search.as_str().unwrap_or_default());
    if domains().map(|domain| domain.len() + 1).sum::<usize>() > MAX_SEARCH_CHARACTERS + 1 {
        let why = "must not have more than 2048 characters (including spaces) in the search list";
        errors.invalid(&at_searches, searches.to_vec(), why);
    }
    for (index, domain) in domains().enumerate().filter(|(_, domain)| *domain != ".") {
        let domain = domain.strip_suffix('.').unwrap_or(domain);
        well_formed(domain, name::subdomain_with_underscores, &at_searches.index(index), errors);
    }
    for (option, path) in each(config, "options", &path) {
        if text(option, "name").is_empty() {
            errors.required(&path, "must not be empty");
        }
    }
}

/// The name that the pod has for itself, whatever others call it.
pub(super) fn hostname_override(spec: &Value, path: &Path, errors: &mut Errors) {
    let Some(own) = get(spec, "hostnameOverride").and_then(Value::as_str) else { return };
    let path = path.child("hostnameOverride");
    if is_true(spec, "setHostnameAsFQDN") {
        errors.forbidden(&path, "may not be specified when setHostnameAsFQDN is true");
    }
    if is_true(spec, "hostNetwork") {
        errors.forbidden(&path, "may not be specified when hostNetwork is true");
    }
    if own.len() > MAX_HOSTNAME {
        errors.too_long(&path, MAX_HOSTNAME);
    }
    well_formed(own, name::subdomain, &path, errors);
}

/// More names that the pod knows.
pub(super) fn host_aliases(spec: &Value, path: &Path, errors: &mut Errors) {
    for (alias, path) in each(spec, "hostAliases", path) {
        address(text(alias, "ip"), &path.child("ip"), errors);
        for (index, host) in list(alias, "hostnames").iter().enumerate() {
            let path = path.child("hostnames").index(index);
            well_formed(host.as_str().unwrap_or_default(), name::subdomain, &path, errors);
        }
    }
}

/// A pod whose users are not the host's has its own network and processes too, and no raw devices.
///
/// <https://kubernetes.io/docs/concepts/workloads/pods/user-namespaces/#limitations>
pub(super) fn host_users(spec: &Value, path: &Path, errors: &mut Errors) {
    if get(spec, "hostUsers") != Some(&Value::Bool(false)) {
        return;
    }
    let why = "when `hostUsers` is false";
    // The messages spell two of the fields as Go does.
    for (field, shown) in [("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")] {
        if is_true(spec, field) {
            errors.forbidden(path.child(shown), why);
        }
    }
    for (container, path) in all_containers(spec, path) {
        if !list(container, "volumeDevices").is_empty() {
            errors.forbidden(path.child("volumeDevices"), why);
        }
    }
}
