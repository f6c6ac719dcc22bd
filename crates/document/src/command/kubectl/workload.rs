//! Verbs that change what runs: `kubectl run`, `expose`, `autoscale`, `set image`, `taint`, `cordon` and `uncordon`.

use json_tree::{Map, Value, json};

use super::call::{Call, Stop, says};
use super::change::{STRATEGIC, send};
use super::{generate, write};

fn number_or_text(text: &str) -> Value {
    text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from)
}

/// Begins to run a pod.
pub(super) fn run(call: &mut Call<'_>) -> Result<(), Stop> {
    let line = call.line;
    for flag in ["--stdin", "--tty", "--rm", "--attach"] {
        if line.is(flag) {
            return Err(Stop::Refused(format!(
                "`kubectl run {flag}` needs a container that runs: there is none here."
            )));
        }
    }
    let Some(name) = call.word(1) else { return says("error: NAME is required for run") };
    let Some(image) = line.flag("--image") else { return says("error: required flag(s) \"image\" not set") };
    if line.flag("--overrides").is_some() || line.is("--expose") {
        return Err(Stop::Refused(
            "`--overrides` and `--expose` of `kubectl run` do not run here.".to_owned(),
        ));
    }
    let pairs = |flag: &str| -> Vec<(String, String)> {
        let all = line.all(flag).into_iter().flat_map(|value| value.split(','));
        all.filter_map(|pair| pair.split_once('='))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect()
    };
    let labels: Map<String, Value> = match line.flag("--labels").or(line.flag("--selector")) {
        Some(_) => [pairs("--labels"), pairs("--selector")]
            .concat()
            .into_iter()
            .map(|(key, value)| (key, Value::from(value)))
            .collect(),
        None => [("run".to_owned(), Value::from(name))].into_iter().collect(),
    };
    let mut container = json!({"image": image, "name": name, "resources": {}});
    if let Some(map) = container.as_object_mut() {
        let words = || line.behind.iter().chain(call.words(2)).map(String::as_str).collect::<Value>();
        if words().as_array().is_some_and(|words| !words.is_empty()) {
            map.insert(if line.is("--command") { "command" } else { "args" }.to_owned(), words());
        }
        let env: Vec<Value> = line
            .all("--env")
            .iter()
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| json!({"name": name, "value": value}))
            .collect();
        map.extend((!env.is_empty()).then(|| ("env".to_owned(), Value::from(env))));
        map.extend(
            line.flag("--port")
                .map(|port| ("ports".to_owned(), json!([{"containerPort": number_or_text(port)}]))),
        );
        map.extend(
            line.flag("--image-pull-policy")
                .map(|policy| ("imagePullPolicy".to_owned(), Value::from(policy))),
        );
    }
    let restart = line.flag("--restart").unwrap_or("Always");
    let made = json!({
        "metadata": {"labels": Value::Object(labels)},
        "spec": {"containers": [container], "dnsPolicy": "ClusterFirst", "restartPolicy": restart},
        "status": {},
    });
    generate::send(call, "v1", "Pod", name, made, "kubectl-run", "created")
}

/// Begins to make an autoscaler.
pub(super) fn autoscale(call: &mut Call<'_>) -> Result<(), Stop> {
    let line = call.line;
    let Some(most) = line.flag("--max").and_then(|count| count.parse::<i64>().ok()) else {
        return says("error: required flag(s) \"max\" not set");
    };
    let least = line.flag("--min").and_then(|count| count.parse::<i64>().ok()).filter(|count| *count > 0);
    let mut metrics = Vec::new();
    let percent = line.flag("--cpu-percent").or(line.flag("--cpu"));
    for (resource, value) in [("cpu", percent), ("memory", line.flag("--memory"))] {
        let Some(value) = value else { continue };
        let target = match value.trim_end_matches('%').parse::<i64>() {
            Ok(percent) => json!({"averageUtilization": percent, "type": "Utilization"}),
            Err(_) => json!({"averageValue": value, "type": "AverageValue"}),
        };
        metrics.push(json!({"resource": {"name": resource, "target": target}, "type": "Resource"}));
    }
    let (kind, given) =
        (call.kind("horizontalpodautoscalers.v2.autoscaling")?, line.flag("--name").map(str::to_owned));
    call.each(call.words(1), "", move |shell, how, target, object| {
        let name = given.clone().unwrap_or_else(|| target.name.clone());
        let reference = json!({"apiVersion": object["apiVersion"].clone(), "kind": object["kind"].clone(), "name": target.name.as_str()});
        let mut spec = json!({"maxReplicas": most, "scaleTargetRef": reference});
        if let Some(map) = spec.as_object_mut() {
            map.extend(least.map(|least| ("minReplicas".to_owned(), Value::from(least))));
            map.extend((!metrics.is_empty()).then(|| ("metrics".to_owned(), Value::from(metrics.clone()))));
        }
        let made = json!({
            "apiVersion": kind.api_version(), "kind": "HorizontalPodAutoscaler", "metadata": {"name": name.as_str()},
            "spec": spec, "status": {"currentMetrics": null, "desiredReplicas": 0},
        });
        let mut target = target.clone();
        (target.kind, target.name) = (kind.clone(), name);
        write::posted(shell, how.clone(), target, &made, "kubectl-autoscale", "autoscaled");
    })
}

/// Begins to make a service of what is there.
pub(super) fn expose(call: &mut Call<'_>) -> Result<(), Stop> {
    let line = call.line;
    let text = |flag: &str| line.flag(flag).map(str::to_owned);
    let (name, port, target_port, protocol) =
        (text("--name"), text("--port"), text("--target-port"), text("--protocol"));
    let (ty, address, external) = (text("--type"), text("--cluster-ip"), text("--external-ip"));
    let selector: Option<Map<String, Value>> = line.flag("--selector").map(|selector| {
        selector
            .split(',')
            .filter_map(|pair| pair.split_once('='))
            .map(|(key, value)| (key.to_owned(), Value::from(value)))
            .collect()
    });
    let kind = call.kind("services")?;
    call.each(call.words(1), "", move |shell, how, target, object| {
        let spec = &object["spec"];
        let found = match &*target.kind.resource {
            "pods" => object["metadata"]["labels"].clone(),
            "services" | "replicationcontrollers" => spec["selector"].clone(),
            _ => spec["selector"]["matchLabels"].clone(),
        };
        let selector = selector.clone().map_or(found, Value::Object);
        if selector.as_object().is_none_or(Map::is_empty) {
            return shell.fail("error: couldn't retrieve selectors via --selector flag or introspection: no selectors, therefore cannot be exposed");
        }
        let pod = if target.kind.resource == "pods" { spec } else { &spec["template"]["spec"] };
        let containers = pod["containers"].as_array().into_iter().flatten();
        let mut ports: Vec<Value> = containers.flat_map(|container| container["ports"].as_array().into_iter().flatten()).cloned().collect();
        ports.extend(spec["ports"].as_array().into_iter().flatten().map(|port| json!({"containerPort": port["port"].clone(), "protocol": port["protocol"].clone()})));
        if let Some(port) = &port {
            ports = port.split(',').map(|port| json!({"containerPort": number_or_text(port)})).collect();
        }
        if ports.is_empty() {
            return shell.fail("error: couldn't find port via --port flag or introspection");
        }
        let several = ports.len() > 1;
        let ports = ports.iter().enumerate().map(|(place, port)| {
            let number = port["containerPort"].clone();
            let own = port["protocol"].as_str().unwrap_or("TCP");
            let to = target_port.as_deref().map_or_else(|| number.clone(), number_or_text);
            let mut entry = json!({"port": number, "protocol": protocol.as_deref().unwrap_or(own), "targetPort": to});
            if let Some(map) = entry.as_object_mut().filter(|_| several) {
                map.insert("name".to_owned(), Value::from(format!("port-{}", place + 1)));
            }
            entry
        });
        let mut made_spec = json!({"ports": ports.collect::<Vec<_>>(), "selector": selector});
        if let Some(map) = made_spec.as_object_mut() {
            map.extend(ty.as_deref().map(|ty| ("type".to_owned(), Value::from(ty))));
            map.extend(address.as_deref().map(|address| ("clusterIP".to_owned(), Value::from(address))));
            map.extend(external.as_deref().map(|address| ("externalIPs".to_owned(), json!([address]))));
        }
        let name = name.clone().unwrap_or_else(|| target.name.clone());
        let mut metadata = json!({"name": name.as_str()});
        if let (Some(map), labels @ Value::Object(_)) = (metadata.as_object_mut(), &object["metadata"]["labels"]) {
            map.insert("labels".to_owned(), labels.clone());
        }
        let made = json!({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": made_spec, "status": {"loadBalancer": {}}});
        let mut target = target.clone();
        (target.kind, target.name) = (kind.clone(), name);
        write::posted(shell, how.clone(), target, &made, "kubectl-expose", "exposed");
    })
}

/// Begins to change the images of containers.
pub(super) fn set(call: &mut Call<'_>) -> Result<(), Stop> {
    let what = call.word(1).unwrap_or_default();
    if what != "image" {
        return Err(Stop::Refused(format!(
            "`kubectl set {what}` does not run here: `kubectl set image` does."
        )));
    }
    let words = call.words(2);
    let at = words.iter().position(|word| word.contains('=')).unwrap_or(words.len());
    let (names, images) = words.split_at_checked(at).unwrap_or((words, &[]));
    let images: Vec<(String, String)> = images
        .iter()
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, image)| (name.to_owned(), image.to_owned()))
        .collect();
    if images.is_empty() {
        return says("error: at least one image update is required");
    }
    call.each(names, "", move |shell, how, target, object| {
        let way: &[&str] = match &*target.kind.resource {
            "pods" => &["spec"],
            "cronjobs" => &["spec", "jobTemplate", "spec", "template", "spec"],
            _ => &["spec", "template", "spec"],
        };
        let pod = way.iter().fold(&object, |value, step| &value[*step]);
        let mut patch = Map::new();
        let mut found = Vec::new();
        for list in ["containers", "initContainers"] {
            let containers = pod[list].as_array().map(Vec::as_slice).unwrap_or_default();
            let mut changed = Vec::new();
            for container in containers {
                let name = container["name"].as_str().unwrap_or_default();
                for (wanted, image) in images.iter().filter(|(wanted, _)| wanted == name || wanted == "*") {
                    found.push(wanted.clone());
                    if container["image"] != *image {
                        changed.push(json!({"image": image.as_str(), "name": name}));
                    }
                }
            }
            if !changed.is_empty() {
                let order: Vec<Value> =
                    containers.iter().map(|container| json!({"name": container["name"].clone()})).collect();
                patch.insert(["$setElementOrder/", list].concat(), Value::from(order));
                patch.insert(list.to_owned(), Value::from(changed));
            }
        }
        for (name, _) in images.iter().filter(|(name, _)| !found.contains(name)) {
            shell.fail(&format!("error: unable to find container named {name:?}"));
        }
        if patch.is_empty() || found.is_empty() {
            return;
        }
        if how.dry_run == "client" {
            return how.done(shell, target, "image updated", &object);
        }
        let patch = way.iter().rev().fold(Value::Object(patch), |inner, step| json!({*step: inner}));
        send(shell, how, target, &patch, (STRATEGIC, "kubectl-set"), "image updated");
    })
}

/// Reads `key=value:effect` and `key:effect`.
fn taint_of(word: &str) -> Option<Value> {
    let (pair, effect) = word.rsplit_once(':')?;
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    let mut taint = json!({"effect": effect, "key": key});
    if let Some(map) = taint.as_object_mut().filter(|_| !value.is_empty()) {
        map.insert("value".to_owned(), Value::from(value));
    }
    Some(taint)
}

/// Begins to change the taints of nodes.
pub(super) fn taint(call: &mut Call<'_>) -> Result<(), Stop> {
    let words = call.words(1);
    let is_taint = |word: &String| word.contains(':') || word.contains('=') || word.ends_with('-');
    let at = words.iter().position(is_taint).unwrap_or(words.len());
    let (names, taints) = words.split_at_checked(at).unwrap_or((words, &[]));
    let (mut added, mut removed) = (Vec::new(), Vec::new());
    for word in taints {
        match word.strip_suffix('-') {
            Some(word) => {
                let (key, effect) = word.split_once(':').unwrap_or((word, ""));
                removed.push((key.split('=').next().unwrap_or(key).to_owned(), effect.to_owned()));
            }
            None => match taint_of(word) {
                Some(taint) => added.push(taint),
                None => return says(format!("error: unknown taint spec: {word}")),
            },
        }
    }
    if added.is_empty() && removed.is_empty() {
        return says("error: at least one taint update is required");
    }
    let overwrites = call.line.is("--overwrite");
    call.each(names, "", move |shell, how, target, object| {
        let old: Vec<Value> = object["spec"]["taints"].as_array().cloned().unwrap_or_default();
        let same = |a: &Value, b: &Value| a["key"] == b["key"] && a["effect"] == b["effect"];
        if !overwrites
            && added.iter().any(|new| old.iter().any(|old| same(new, old) && new["value"] != old["value"]))
        {
            return shell.fail(&format!(
                "error: node {} already has {} taint(s) with same effect(s) and --overwrite is false",
                target.name,
                added.first().and_then(|taint| taint["key"].as_str()).unwrap_or_default()
            ));
        }
        let is_gone = |taint: &Value| {
            removed.iter().any(|(key, effect)| {
                taint["key"] == *key && (effect.is_empty() || taint["effect"] == *effect)
            })
        };
        if let Some((key, effect)) = removed.iter().find(|(key, effect)| {
            !old.iter().any(|taint| taint["key"] == *key && (effect.is_empty() || taint["effect"] == *effect))
        }) {
            let effect = if effect.is_empty() { String::new() } else { [":", effect].concat() };
            return shell.fail(&format!("error: taint \"{key}{effect}\" not found"));
        }
        let mut taints = added.clone();
        taints.extend(
            old.iter().filter(|old| !is_gone(old) && !added.iter().any(|new| same(new, old))).cloned(),
        );
        let taints = if taints.is_empty() { Value::Null } else { Value::from(taints) };
        let outcome = match (added.is_empty(), removed.is_empty()) {
            (true, _) => "untainted",
            (_, true) => "tainted",
            _ => "modified",
        };
        if how.dry_run == "client" {
            return how.done(shell, target, outcome, &object);
        }
        send(shell, how, target, &json!({"spec": {"taints": taints}}), (STRATEGIC, "kubectl-taint"), outcome);
    })
}

/// Begins to close nodes to new pods.
pub(super) fn cordon(call: &mut Call<'_>) -> Result<(), Stop> {
    schedulable(call, true, "cordoned")
}

/// Begins to open nodes to new pods.
pub(super) fn uncordon(call: &mut Call<'_>) -> Result<(), Stop> {
    schedulable(call, false, "uncordoned")
}

fn schedulable(call: &mut Call<'_>, closes: bool, outcome: &'static str) -> Result<(), Stop> {
    let kind = ["node".to_owned()];
    let words = call.words(1).iter().map(|word| word.strip_prefix("node/").unwrap_or(word).to_owned());
    let words: Vec<String> = kind.into_iter().chain(words).collect();
    call.each(&words, "", move |shell, how, target, object| {
        let is_closed = object["spec"]["unschedulable"] == true;
        if is_closed == closes {
            return shell.line(&[&target.printed(), " already ", outcome].concat());
        }
        if how.dry_run == "client" {
            return how.done(shell, target, outcome, &object);
        }
        let value = if closes { Value::from(true) } else { Value::Null };
        send(shell, how, target, &json!({"spec": {"unschedulable": value}}), (STRATEGIC, ""), outcome);
    })
}
