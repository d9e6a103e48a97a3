// A hook for Node in the style of Metacontroller's examples: only the standard library, the whole request as objects.
'use strict'
const http = require('http')

function sync (request) {
  const { name, namespace } = request.parent.metadata
  const labels = { app: 'memcached', memcached_cr: name }
  const nodes = Object.values(request.related['Pod.v1']).map(pod => pod.metadata.name).sort()
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      replicas: request.parent.spec.size,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{
            name: 'memcached',
            image: 'memcached:1.6.45-alpine',
            command: ['memcached', '-m', '64', '-v'],
            ports: [{ name: 'memcached', containerPort: 11211 }]
          }]
        }
      }
    }
  }
  return { status: { nodes }, children: [deployment] }
}

const [host, port] = process.argv[2].split(':')
http.createServer((request, response) => {
  const chunks = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    let body
    try {
      body = JSON.stringify(sync(JSON.parse(Buffer.concat(chunks).toString())))
    } catch (error) {
      response.writeHead(500)
      response.end(String(error))
      return
    }
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(body)
  })
}).listen(Number(port), host)
