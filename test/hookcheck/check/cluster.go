package check

// ClusterRequest is what hookcheck --cluster gives to the program of the module test/cluster, which has a control plane.
type ClusterRequest struct {
	Endpoint   Endpoint
	Controller map[string]any
	CRDs       []map[string]any
	// Samples are parents of the CompositeController, and objects that they relate to.
	Samples []map[string]any
}

// ClusterReport is what the program returns.
type ClusterReport struct {
	Checks   []Check
	Findings []Finding
}
