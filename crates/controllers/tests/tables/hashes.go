// Reads pod templates as in pod_template_hashes.json, and prints them with their dumps and hashes.
package main

import (
	"encoding/json"
	"os"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/utils/dump"
)

type result struct {
	Template       json.RawMessage `json:"template"`
	CollisionCount *int32          `json:"collisionCount,omitempty"`
	Dump           string          `json:"dump"`
	Hash           string          `json:"hash"`
}

func main() {
	var results []result
	if err := json.NewDecoder(os.Stdin).Decode(&results); err != nil {
		panic(err)
	}
	for i := range results {
		var read, template v1.PodTemplateSpec
		if err := json.Unmarshal(results[i].Template, &read); err != nil {
			panic(err)
		}
		// As an informer gets it.
		bytes, err := read.Marshal()
		if err != nil {
			panic(err)
		}
		if err := template.Unmarshal(bytes); err != nil {
			panic(err)
		}
		results[i].Dump = dump.ForHash(template)
		results[i].Hash = controller.ComputeHash(&template, results[i].CollisionCount)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(results); err != nil {
		panic(err)
	}
}
