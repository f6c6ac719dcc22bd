//! `kubectl create KIND NAME`: objects out of options.

use golang::base64;
use json_tree::{Map, Value, json};

use super::call::{Call, Stop, Target, says};
use super::write;
use crate::kinds::Kind;

type Make = fn(&Call<'_>, &str) -> Result<Value, Stop>;

/// An object that is made: its names, `apiVersion`, kind, and the content besides its name.
const GENERATORS: &[(&[&str], &str, &str, Make)] = &[
    (&["namespace", "ns"], "v1", "Namespace", |_, _| Ok(json!({"spec": {}, "status": {}}))),
    (&["configmap", "cm"], "v1", "ConfigMap", |call, _| Ok(json!({"data": literals(call, |text| text)?}))),
    (&["secret"], "v1", "Secret", secret),
    (&["deployment", "deploy"], "apps/v1", "Deployment", deployment),
    (&["serviceaccount", "sa"], "v1", "ServiceAccount", |_, _| Ok(json!({}))),
    (&["role"], "rbac.authorization.k8s.io/v1", "Role", role),
    (&["clusterrole"], "rbac.authorization.k8s.io/v1", "ClusterRole", role),
    (&["rolebinding"], "rbac.authorization.k8s.io/v1", "RoleBinding", binding),
    (&["clusterrolebinding"], "rbac.authorization.k8s.io/v1", "ClusterRoleBinding", binding),
    (&["service", "svc"], "v1", "Service", service),
    (&["job"], "batch/v1", "Job", |call, name| {
        Ok(json!({"spec": {"template": pod(call, name, "Never")?}, "status": {}}))
    }),
    (&["cronjob", "cj"], "batch/v1", "CronJob", |call, name| {
        let job = json!({"metadata": {"name": name}, "spec": {"template": pod(call, name, "OnFailure")?}});
        Ok(json!({"spec": {"jobTemplate": job, "schedule": needed(call, "--schedule")?}, "status": {}}))
    }),
    (&["quota", "resourcequota"], "v1", "ResourceQuota", quota),
    (&["priorityclass", "pc"], "scheduling.k8s.io/v1", "PriorityClass", priority),
    (&["poddisruptionbudget", "pdb"], "policy/v1", "PodDisruptionBudget", budget),
];

/// Begins to create objects.
pub(super) fn create(call: &mut Call<'_>) -> Result<(), Stop> {
    if let Some(path) = call.line.flag("--raw") {
        return write::raw(call, "POST", path);
    }
    if call.line.flag("--filename").is_none() {
        return match call.word(1) {
            None => says("error: must specify one of -f and -k"),
            Some(_) => begin(call),
        };
    }
    let saves = call.line.is("--save-config");
    for (target, object) in call.placed_all()? {
        let object = if saves { write::annotated(&object) } else { object };
        write::post(&mut call.shell, call.how.clone(), target, &object, "kubectl-create");
    }
    Ok(())
}

/// Begins to create what the words behind the verb name.
fn begin(call: &mut Call<'_>) -> Result<(), Stop> {
    let word = call.word(1).unwrap_or_default();
    if word == "token" {
        return token(call);
    }
    let Some((_, api_version, kind, make)) = GENERATORS.iter().find(|(names, ..)| names.contains(&word))
    else {
        return Err(Stop::Refused(format!("`kubectl create {word}` does not run here.")));
    };
    let is_two = matches!(word, "service" | "svc" | "secret");
    let Some(name) = call.word(if is_two { 3 } else { 2 }) else {
        return says("error: exactly one NAME is required, got 0");
    };
    let made = make(call, name)?;
    send(call, api_version, kind, name, made, "kubectl-create", "created")
}

/// Creates an object out of its kind, its name, and the rest of it.
pub(super) fn send(
    call: &mut Call<'_>,
    api_version: &str,
    kind: &str,
    name: &str,
    made: Value,
    manager: &str,
    outcome: &'static str,
) -> Result<(), Stop> {
    let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}});
    if let (Some(map), Value::Object(made)) = (object.as_object_mut(), made) {
        for (key, value) in made {
            match (map.get_mut(&key), value) {
                (Some(Value::Object(metadata)), Value::Object(more)) => metadata.extend(more),
                (_, value) => drop(map.insert(key, value)),
            }
        }
    }
    let (target, mut object) = call.placed(object)?;
    if call.line.flag("--namespace").is_none()
        && call.how.dry_run == "client"
        && let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
    {
        // Without a namespace on the line there is none in what is only printed.
        metadata.shift_remove("namespace");
    }
    write::posted(&mut call.shell, call.how.clone(), target, &object, manager, outcome);
    Ok(())
}

fn needed<'c>(call: &Call<'c>, flag: &str) -> Result<&'c str, Stop> {
    call.line.flag(flag).map_or_else(
        || says(format!("error: required flag(s) \"{}\" not set", flag.trim_start_matches('-'))),
        Ok,
    )
}

/// Returns all parts of an option that may be given several times, and may name several things.
fn parts<'c>(call: &Call<'c>, flag: &str) -> Vec<&'c str> {
    call.line
        .all(flag)
        .into_iter()
        .flat_map(|value| value.split(','))
        .filter(|part| !part.is_empty())
        .collect()
}

/// Returns a whole number as such, and other text as text.
fn number_or_text(text: &str) -> Value {
    text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from)
}

fn literals(call: &Call<'_>, encode: impl Fn(String) -> String) -> Result<Value, Stop> {
    if call.line.flag("--from-file").is_some() || call.line.flag("--from-env-file").is_some() {
        return Err(Stop::Refused("`--from-file` reads files: there are none here.".to_owned()));
    }
    let mut data = Map::new();
    for literal in call.line.all("--from-literal") {
        let Some((key, value)) = literal.split_once('=') else {
            return says(format!("error: invalid literal source {literal}, expected key=value"));
        };
        let is_quoted = value.len() > 1 && value.starts_with(['"', '\'']) && value.ends_with(['"', '\'']);
        let value = if is_quoted { value.get(1..value.len() - 1).unwrap_or(value) } else { value };
        data.insert(key.to_owned(), Value::from(encode(value.to_owned())));
    }
    Ok(Value::Object(data))
}

fn secret(call: &Call<'_>, _: &str) -> Result<Value, Stop> {
    match call.word(2).unwrap_or_default() {
        "generic" => {
            let mut made = json!({"data": literals(call, base64::encode)?});
            if let (Some(map), Some(ty)) = (made.as_object_mut(), call.line.flag("--type")) {
                map.insert("type".to_owned(), Value::from(ty));
            }
            Ok(made)
        }
        "docker-registry" => {
            let (user, password) = (needed(call, "--docker-username")?, needed(call, "--docker-password")?);
            let server = call.line.flag("--docker-server").unwrap_or("https://index.docker.io/v1/");
            let auth = base64::encode([user, ":", password].concat());
            let mut entry = json!({"username": user, "password": password});
            if let Some(map) = entry.as_object_mut() {
                map.extend(
                    call.line.flag("--docker-email").map(|email| ("email".to_owned(), Value::from(email))),
                );
                map.insert("auth".to_owned(), Value::from(auth));
            }
            let config = json!({"auths": {server: entry}}).to_string();
            Ok(
                json!({"data": {".dockerconfigjson": base64::encode(config)}, "type": "kubernetes.io/dockerconfigjson"}),
            )
        }
        other => {
            Err(Stop::Refused(format!("`kubectl create secret {other}` reads files: there are none here.")))
        }
    }
}

/// Returns a container's name by its image.
fn named_by(image: &str) -> String {
    let last = image.rsplit('/').next().unwrap_or(image);
    let name = last.split([':', '@']).next().unwrap_or_default();
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c.to_ascii_lowercase() } else { '-' })
        .collect()
}

fn deployment(call: &Call<'_>, name: &str) -> Result<Value, Stop> {
    needed(call, "--image")?;
    let images = parts(call, "--image");
    let containers = images.iter().map(|image| {
        let mut container = json!({"image": *image, "name": named_by(image), "resources": {}});
        if let Some(map) = container.as_object_mut() {
            let port = call.line.flag("--port").map(number_or_text);
            map.extend(port.map(|port| ("ports".to_owned(), json!([{"containerPort": port}]))));
            let command = call.line.behind.iter().map(String::as_str);
            map.extend((!call.line.behind.is_empty()).then(|| ("command".to_owned(), command.collect())));
        }
        container
    });
    let containers: Vec<Value> = containers.collect();
    let labels = json!({"app": name});
    let replicas = number_or_text(call.line.flag("--replicas").unwrap_or("1"));
    Ok(json!({
        "metadata": {"labels": labels.clone()},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": labels.clone()}, "strategy": {},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
        },
        "status": {},
    }))
}

/// Returns the template of pods of one container.
fn pod(call: &Call<'_>, name: &str, restart: &str) -> Result<Value, Stop> {
    if call.line.flag("--from").is_some() {
        return Err(Stop::Refused("`--from` copies a CronJob: that does not run here.".to_owned()));
    }
    let mut container = json!({"image": needed(call, "--image")?, "name": name, "resources": {}});
    if let Some(map) = container.as_object_mut().filter(|_| !call.line.behind.is_empty()) {
        map.insert("command".to_owned(), call.line.behind.iter().map(String::as_str).collect());
    }
    let restart = call.line.flag("--restart").unwrap_or(restart);
    Ok(json!({"metadata": {}, "spec": {"containers": [container], "restartPolicy": restart}}))
}

fn role(call: &Call<'_>, _: &str) -> Result<Value, Stop> {
    let verbs = parts(call, "--verb");
    if let Some(rule) = call.line.flag("--aggregation-rule") {
        let labels: Map<String, Value> = rule
            .split(',')
            .filter_map(|pair| pair.split_once('='))
            .map(|(key, value)| (key.to_owned(), Value::from(value)))
            .collect();
        return Ok(
            json!({"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": Value::Object(labels)}]}, "rules": null}),
        );
    }
    if verbs.is_empty() {
        return says("error: at least one verb must be specified");
    }
    let names = parts(call, "--resource-name");
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for resource in parts(call, "--resource") {
        let (word, subresource) = resource.split_once('/').unwrap_or((resource, ""));
        let (group, mut name) = match word {
            "*" => (String::new(), "*".to_owned()),
            word => {
                let kind = call.kind(word)?;
                (kind.group, kind.resource)
            }
        };
        if !subresource.is_empty() {
            name = [&name, "/", subresource].concat();
        }
        match groups.iter_mut().find(|(known, _)| *known == group) {
            Some((_, resources)) => resources.push(name),
            None => groups.push((group, vec![name])),
        }
    }
    groups.sort();
    let mut rules: Vec<Value> = Vec::new();
    for (group, resources) in groups {
        let mut rule = json!({"apiGroups": [group], "resources": resources, "verbs": verbs.clone()});
        if let Some(map) = rule.as_object_mut().filter(|_| !names.is_empty()) {
            map.insert("resourceNames".to_owned(), Value::from(names.clone()));
        }
        rules.push(rule);
    }
    let urls = parts(call, "--non-resource-url");
    if !urls.is_empty() {
        rules.push(json!({"nonResourceURLs": urls, "verbs": verbs}));
    }
    if rules.is_empty() {
        return says("error: at least one resource must be specified");
    }
    Ok(json!({"rules": rules}))
}

fn binding(call: &Call<'_>, _: &str) -> Result<Value, Stop> {
    const GROUP: &str = "rbac.authorization.k8s.io";
    let (kind, name) = match (call.line.flag("--clusterrole"), call.line.flag("--role")) {
        (Some(name), None) => ("ClusterRole", name),
        (None, Some(name)) => ("Role", name),
        _ => return says("error: exactly one of clusterrole or role must be specified"),
    };
    let mut subjects = Vec::new();
    for (flag, kind) in [("--user", "User"), ("--group", "Group")] {
        subjects.extend(
            parts(call, flag).iter().map(|name| json!({"apiGroup": GROUP, "kind": kind, "name": *name})),
        );
    }
    for account in parts(call, "--serviceaccount") {
        let Some((namespace, name)) =
            account.split_once(':').filter(|(namespace, name)| !namespace.is_empty() && !name.is_empty())
        else {
            return says(format!("error: serviceaccount must be <namespace>:<name>, not {account:?}"));
        };
        subjects.push(json!({"kind": "ServiceAccount", "name": name, "namespace": namespace}));
    }
    Ok(json!({"roleRef": {"apiGroup": GROUP, "kind": kind, "name": name}, "subjects": subjects}))
}

fn service(call: &Call<'_>, name: &str) -> Result<Value, Stop> {
    let kinds = [
        ("clusterip", "ClusterIP"),
        ("nodeport", "NodePort"),
        ("loadbalancer", "LoadBalancer"),
        ("externalname", "ExternalName"),
    ];
    let word = call.word(2).unwrap_or_default();
    let Some((_, ty)) = kinds.iter().find(|(known, _)| *known == word) else {
        return says(format!("error: unknown command {word:?}"));
    };
    let mut spec = json!({"selector": {"app": name}, "type": *ty});
    let mut ports = Vec::new();
    for pair in parts(call, "--tcp") {
        let (port, target) = pair.split_once(':').unwrap_or((pair, pair));
        let mut entry = json!({"name": pair.replace(':', "-"), "port": number_or_text(port), "protocol": "TCP", "targetPort": number_or_text(target)});
        if let (Some(map), Some(port)) = (entry.as_object_mut(), call.line.flag("--node-port")) {
            map.insert("nodePort".to_owned(), number_or_text(port));
        }
        ports.push(entry);
    }
    if let Some(map) = spec.as_object_mut() {
        map.extend((!ports.is_empty()).then(|| ("ports".to_owned(), Value::from(ports))));
        map.extend(
            call.line.flag("--external-name").map(|name| ("externalName".to_owned(), Value::from(name))),
        );
        map.extend(
            call.line.flag("--clusterip").map(|address| ("clusterIP".to_owned(), Value::from(address))),
        );
    }
    Ok(json!({"metadata": {"labels": {"app": name}}, "spec": spec, "status": {"loadBalancer": {}}}))
}

fn quota(call: &Call<'_>, _: &str) -> Result<Value, Stop> {
    let mut spec = json!({});
    let hard: Map<String, Value> = parts(call, "--hard")
        .iter()
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (key.to_owned(), Value::from(value)))
        .collect();
    let scopes = parts(call, "--scopes");
    if let Some(map) = spec.as_object_mut() {
        map.extend((!hard.is_empty()).then(|| ("hard".to_owned(), Value::Object(hard))));
        map.extend((!scopes.is_empty()).then(|| ("scopes".to_owned(), Value::from(scopes))));
    }
    Ok(json!({"spec": spec, "status": {}}))
}

fn priority(call: &Call<'_>, _: &str) -> Result<Value, Stop> {
    let value = number_or_text(call.line.flag("--value").unwrap_or("0"));
    let policy = call.line.flag("--preemption-policy").unwrap_or("PreemptLowerPriority");
    let mut made = json!({"value": value, "preemptionPolicy": policy});
    if let Some(map) = made.as_object_mut() {
        map.extend(call.line.is("--global-default").then(|| ("globalDefault".to_owned(), Value::from(true))));
        map.extend(call.line.flag("--description").map(|text| ("description".to_owned(), Value::from(text))));
    }
    Ok(made)
}

fn budget(call: &Call<'_>, _: &str) -> Result<Value, Stop> {
    let labels: Map<String, Value> = parts(call, "--selector")
        .iter()
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (key.to_owned(), Value::from(value)))
        .collect();
    let mut spec = json!({"selector": {"matchLabels": Value::Object(labels)}});
    for (flag, field) in [("--min-available", "minAvailable"), ("--max-unavailable", "maxUnavailable")] {
        if let (Some(map), Some(value)) = (spec.as_object_mut(), call.line.flag(flag)) {
            map.insert(field.to_owned(), number_or_text(value));
        }
    }
    let status =
        json!({"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0});
    Ok(json!({"spec": spec, "status": status}))
}

/// Begins to ask for a token of a service account.
fn token(call: &mut Call<'_>) -> Result<(), Stop> {
    let Some(name) = call.word(2) else { return says("error: exactly one NAME is required, got 0") };
    let kind: Kind = call.kind("serviceaccounts")?;
    let target = Target { kind, namespace: call.namespace.clone(), name: name.to_owned() };
    let mut spec = json!({"audiences": call.line.all("--audience")});
    if let (Some(map), Some(seconds)) = (spec.as_object_mut(), call.line.flag("--duration").and_then(seconds))
    {
        map.insert("expirationSeconds".to_owned(), Value::from(seconds));
    }
    let body = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "metadata": {}, "spec": spec, "status": {"token": "", "expirationTimestamp": null}});
    let request = call
        .how
        .request("POST", &(target.path() + "/token"), &[])
        .carrying(crate::message::JSON, body.to_string());
    let how = call.how.clone();
    call.shell.send(request, move |shell, reply| match reply.object() {
        Ok(now) if how.output.is_empty() => shell.line(now["status"]["token"].as_str().unwrap_or_default()),
        Ok(now) => how.done(shell, &target, "created", &now),
        Err(failure) => {
            let message = failure.status["message"]
                .as_str()
                .unwrap_or("the server could not find the requested resource")
                .to_owned();
            shell.fail(&["error: failed to create token: ", &message].concat());
        }
    });
    Ok(())
}

/// Reads a duration of Go: `1h30m`.
fn seconds(text: &str) -> Option<i64> {
    let (mut total, mut number) = (0_i64, String::new());
    for c in text.chars() {
        let unit = match c {
            'h' => 3600,
            'm' => 60,
            's' => 1,
            c => {
                number.push(c);
                continue;
            }
        };
        total = total.checked_add(std::mem::take(&mut number).parse::<i64>().ok()?.checked_mul(unit)?)?;
    }
    number.is_empty().then_some(total)
}
