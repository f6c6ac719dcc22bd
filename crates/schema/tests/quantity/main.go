// Writes what Kubernetes' own quantities are read as, and what they add up to, into quantity.txt, for the tests of the
// crate to compare with: a row is a line, with tabs between a function, its arguments and what it returns.
package main

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

func main() {
	rows := flag.Int("rows", 200, "how many random texts there are")
	flag.Parse()
	texts := []string{"", "0", "-0", "+0", "00", ".", "-", "+", "0.", ".0", "500m", "+5", "001", "1e3", "1E3", "0.1", "1Ki", "1.5", "-5", "1k", ".5", "5.", "100E", "1000E", "1e1000", "1.50", "1000m", "1000", "1024", "1024Mi", "1000Mi", "8Mi", "9Mi", "1e21", "1.5Gi", "-1.5Gi", "0.1Ki", "0.5Ki", "10.1Ki", "1025.5", "1024Pi", "100Ei", "0.0000000001", "1e-10", "0.5n", "-0.0000000011", "10000000000000000000", "1234567890123456789012", "10000000000000000000e3", "0.0000000000000000000", "999999999999999999", "9223372036854775807", "9223372036854775808Ki", "e-10", "1e99999999999", "1e4294967297", "1Zi", "1kk", "1e", "1GB", "1 Gi", "é"}
	pieces := strings.Split("0 1 5 9 . - + e E m k Ki Mi Gi n u G T 000 1024 999999999", " ")
	random := rand.New(rand.NewSource(1))
	for range *rows {
		text := ""
		for range random.Intn(5) + 1 {
			text += pieces[random.Intn(len(pieces))]
		}
		// Numbers with millions of digits take long.
		if at := strings.LastIndexAny(text, "eE"); at < 0 || len(text)-at < 5 {
			texts = append(texts, text)
		}
	}
	var out strings.Builder
	row := func(fields ...string) { out.WriteString(strings.Join(fields, "\t") + "\n") }
	var valid []string
	for _, text := range texts {
		q, err := resource.ParseQuantity(text)
		if err != nil {
			row("Parse", text, "error: "+err.Error())
			continue
		}
		row("Parse", text, q.String())
		number, ok := q.AsInt64()
		if !ok {
			number = 0
		}
		row("AsInt64", text, fmt.Sprint(number, ok))
		row("AsApproximateFloat64", text, strconv.FormatFloat(q.AsApproximateFloat64(), 'g', -1, 64))
		if !strings.ContainsAny(text, "eE") || len(text) < 6 {
			valid = append(valid, text)
		}
	}
	for range len(valid) * 2 {
		one, other := valid[random.Intn(len(valid))], valid[random.Intn(len(valid))]
		a, b := resource.MustParse(one), resource.MustParse(other)
		row("Cmp", one, other, fmt.Sprint(a.Cmp(b)))
		sum := a.DeepCopy()
		sum.Add(b)
		row("Add", one, other, sum.String())
		difference := a.DeepCopy()
		difference.Sub(b)
		row("Sub", one, other, difference.String())
	}
	if err := os.WriteFile("quantity.txt", []byte(out.String()), 0o644); err != nil {
		panic(err)
	}
}
