package diagnosis

import (
	"fmt"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// FlashClaim describes the claims of the volumes; nil without flash.
func FlashClaim(flash *v1alpha1.Flash) *conditions.Claim {
	if flash == nil {
		return nil
	}
	class := "the default StorageClass"
	if flash.StorageClassName != nil {
		class = fmt.Sprintf("the StorageClass %q", *flash.StorageClassName)
	}
	return &conditions.Claim{Volume: children.FlashVolumeName, Request: fmt.Sprintf("%s of %s", flash.Size, class)}
}
