// Writes what Kubernetes' old readers of addresses answer into ../sloppy.txt; ../main.go says how.
package main

import (
	"math/rand"
	"os"
	"strings"

	netutils "k8s.io/utils/net"
)

func main() {
	given := []string{"", "1.2.3.4", "01.002.000.4", "0000000001.2.3.4", "1.2.3.256", "1.2.3.0256", "1.2.3", "1..2.3", "1.2.3.4.5", "::", "::1", "2001:DB8::1", "::ffff:1.2.3.4", "::ffff:01.2.3.4", "1:2:3:4:5:6:01.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "1:1.2.3.4", "::01.2.3.4", "fe80::1%eth0", "1:2:3:4:5:6:7::", "1:2:3:4:5:6:7::8", ":::", "12345::", "00001::", "+1.2.3.4", "0x1.2.3.4"}
	pieces := strings.Split("0 1 2 00 255 256 . : :: % a ffff 001 / /8 /08 /0128 /33 /96", " ")
	random := rand.New(rand.NewSource(1))
	texts := append([]string{}, given...)
	for _, text := range given {
		for _, bits := range []string{"/0", "/8", "/008", "/32", "/33", "/128", "/129", "/", "/-1", "/+1", "/1/2", "/99999999999"} {
			if random.Intn(3) == 0 {
				texts = append(texts, text+bits)
			}
		}
	}
	for range 150 {
		text := given[random.Intn(len(given))]
		at := random.Intn(len(text) + 1)
		texts = append(texts, text[:at]+pieces[random.Intn(len(pieces))]+text[at:])
	}
	var rows strings.Builder
	for _, text := range texts {
		address := "nil"
		if ip := netutils.ParseIPSloppy(text); ip != nil {
			address = ip.String()
		}
		block := "nil"
		if ip, network, err := netutils.ParseCIDRSloppy(text); err == nil {
			block = ip.String() + " " + network.String()
		}
		rows.WriteString("ParseIPSloppy\t" + text + "\t" + address + "\n")
		rows.WriteString("ParseCIDRSloppy\t" + text + "\t" + block + "\n")
	}
	if err := os.WriteFile("../sloppy.txt", []byte(rows.String()), 0o644); err != nil {
		panic(err)
	}
}
