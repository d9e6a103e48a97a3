package customimagedeploy

import (
	"github.com/example/memcached-operator/webhook/resources"
)

// selectorLabels select the pods of one CustomImageDeploy. A Deployment's selector can never be changed, so neither can
// these.
func selectorLabels(deploy *CustomImageDeploy) map[string]string {
	return map[string]string{"app": deploy.Name, "managed_by": "custom-image-deploy"}
}

func labels(deploy *CustomImageDeploy) map[string]string {
	return resources.Labels(selectorLabels(deploy), deploy.Name, deploy.Name, "server")
}
