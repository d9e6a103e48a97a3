package corevalidation

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestTolerations(t *testing.T) {
	cases := []struct {
		reason string
		given  corev1.Toleration
		want   string
	}{
		{"all taints", corev1.Toleration{Operator: "Exists"}, ""},
		{"a value", corev1.Toleration{Key: "a", Value: "b"}, ""},
		{"a delayed eviction", corev1.Toleration{Key: "a", Effect: "NoExecute", TolerationSeconds: new(int64(5))}, ""},
		{"an unknown operator", corev1.Toleration{Key: "a", Operator: "Foo"}, "spec[0].operator: Unsupported value"},
		{"an operator of an alpha feature", corev1.Toleration{Key: "a", Operator: "Gt", Value: "1"}, "spec[0].operator: Unsupported value"},
		{"an unknown effect", corev1.Toleration{Key: "a", Effect: "Evict"}, "spec[0].effect: Unsupported value"},
		{"no key", corev1.Toleration{}, "spec[0].key: Required value"},
		{"an invalid key", corev1.Toleration{Key: "a b"}, "spec[0].key: Invalid value"},
		{"an invalid value", corev1.Toleration{Key: "a", Value: "b c"}, "spec[0].value: Invalid value"},
		{"Exists with a value", corev1.Toleration{Operator: "Exists", Value: "b"}, "spec[0].value: Invalid value"},
		{"seconds without the effect NoExecute", corev1.Toleration{Key: "a", TolerationSeconds: new(int64(5))}, "spec[0].tolerationSeconds: Forbidden"},
	}
	for _, test := range cases {
		expect(t, test.reason, Tolerations(specPath, []corev1.Toleration{test.given}), test.want)
	}
}

func TestTopologySpreadConstraints(t *testing.T) {
	plain := corev1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: corev1.DoNotSchedule}
	cases := []struct {
		reason string
		edit   func(*corev1.TopologySpreadConstraint)
		want   string
	}{
		{"the required fields", func(*corev1.TopologySpreadConstraint) {}, ""},
		{"no skew", func(c *corev1.TopologySpreadConstraint) { c.MaxSkew = 0 }, "spec[0].maxSkew: Invalid value"},
		{"no topology key", func(c *corev1.TopologySpreadConstraint) { c.TopologyKey = "" }, "spec[0].topologyKey: Required value"},
		{"no action", func(c *corev1.TopologySpreadConstraint) { c.WhenUnsatisfiable = "" }, "spec[0].whenUnsatisfiable: Unsupported value"},
		{"no domains", func(c *corev1.TopologySpreadConstraint) { c.MinDomains = new(int32(0)) }, "spec[0].minDomains: Invalid value"},
		{"domains without DoNotSchedule", func(c *corev1.TopologySpreadConstraint) {
			c.MinDomains, c.WhenUnsatisfiable = new(int32(1)), corev1.ScheduleAnyway
		}, "spec[0].minDomains: Invalid value"},
		{"an unknown policy", func(c *corev1.TopologySpreadConstraint) { c.NodeTaintsPolicy = new(corev1.NodeInclusionPolicy("Obey")) }, "spec[0].nodeTaintsPolicy: Unsupported value"},
		{"keys without a selector", func(c *corev1.TopologySpreadConstraint) { c.MatchLabelKeys = []string{"a"} }, "spec[0].matchLabelKeys: Forbidden"},
	}
	for _, test := range cases {
		constraint := plain
		test.edit(&constraint)
		expect(t, test.reason, TopologySpreadConstraints(specPath, []corev1.TopologySpreadConstraint{constraint}), test.want)
	}
	expect(t, "a duplicate", TopologySpreadConstraints(specPath, []corev1.TopologySpreadConstraint{plain, plain}), "spec[1].topologyKey: Duplicate value")
}
