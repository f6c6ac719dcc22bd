module kubeglass/golang/tables/sloppy

go 1.26

require k8s.io/utils v0.0.0-20260319190234-28399d86e0b5
