package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"
)

// MetacontrollerUser is the name of Metacontroller's ServiceAccount, to which the manifests bind roles.
const MetacontrollerUser = "system:serviceaccount:metacontroller:metacontroller"

// restrictedKubeconfig returns a kubeconfig of a user with the name of Metacontroller's ServiceAccount, with only the RBAC
// permissions of manifests/metacontroller-values.yaml and of the applied manifests, so that tests find a missing permission. The
// stand-in does not use it, because it reads Secrets and other objects one by one.
func (c *Cluster) restrictedKubeconfig(ctx context.Context) (string, error) {
	file := filepath.Join(c.root, "manifests", "metacontroller-values.yaml")
	content, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var values struct {
		ClusterRole struct {
			Rules []rbacv1.PolicyRule `json:"rules"`
		} `json:"clusterRole"`
	}
	if err := yaml.Unmarshal(content, &values); err != nil {
		return "", fmt.Errorf("read %s: %w", file, err)
	}
	return c.User(ctx, MetacontrollerUser, values.ClusterRole.Rules)
}

// User creates a user with these RBAC permissions and returns the path of the user's kubeconfig.
func (c *Cluster) User(ctx context.Context, userName string, rules []rbacv1.PolicyRule) (string, error) {
	name := metav1.ObjectMeta{Name: userName}
	if err := c.Client.Create(ctx, &rbacv1.ClusterRole{ObjectMeta: name, Rules: rules}); err != nil {
		return "", fmt.Errorf("create the ClusterRole of %s: %w", userName, err)
	}
	err := c.Client.Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: name,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: userName}},
	})
	if err != nil {
		return "", fmt.Errorf("bind the ClusterRole of %s: %w", userName, err)
	}
	user, err := c.env.AddUser(envtest.User{Name: userName}, nil)
	if err != nil {
		return "", err
	}
	kubeconfig, err := user.KubeConfig()
	if err != nil {
		return "", err
	}
	path := filepath.Join(c.dir, strings.ReplaceAll(userName, ":", "-")+".kubeconfig") // KUBECONFIG is a list that colons separate
	return path, os.WriteFile(path, kubeconfig, 0o600)
}
