package nginx

// selectorLabels select the pods of one Nginx. A Deployment's selector can never be changed, so neither can these.
func selectorLabels(nginx *Nginx) map[string]string {
	return map[string]string{"app": "nginx", "nginx_cr": nginx.Name}
}
