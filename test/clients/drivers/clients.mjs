// Runs the operations of a package of npm: clients.mjs PACKAGE ADDRESS ADDRESS. cases_test.go describes them.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {Socket} from 'node:net';
import {createInterface} from 'node:readline';
import {setImmediate, setTimeout} from 'node:timers/promises';

const require = createRequire(import.meta.url);
const [name, ...addresses] = process.argv.slice(2);

// The packages do not disable Nagle's algorithm: a command after one that is not awaited would take 40 ms.
const {connect} = Socket.prototype;
Socket.prototype.connect = function (...args) {
  return connect.apply(this, args).setNoDelay();
};

// tls has the files in $TLS; undefined without TLS.
const file = name => readFileSync(`${process.env.TLS}/${name}`);
const tls = process.env.TLS ? {ca: file('ca.crt'), cert: file('tls.crt'), key: file('tls.key')} : undefined;

// own has the operations that are not methods of the same name, which return promises.
const libraries = {
  'memcache': async address => {
    const {Memcache} = require('memcache');
    const client = new Memcache({nodes: [address], timeout: 5000});
    client.on('error', () => {}); // the library throws an error that nobody listens to
    await client.connect(); // else each command that is not awaited opens a connection of its own until one is there, and their order is lost
    return {client, own: {
      get_multi: async keys => Object.fromEntries(await client.gets(keys)),
      gets: undefined, // reads several keys, and returns no CAS unique
      cas: undefined,
      close: () => client.disconnect(),
    }};
  },
  'memcache-client': address => {
    const {MemcacheClient} = require('memcache-client');
    const client = new MemcacheClient({server: address, cmdTimeout: 5000, tls});
    let unique;
    return {client, noreply: {noreply: true}, own: {
      get: async key => (await client.get(key))?.value,
      gets: async key => {
        const item = await client.gets(key);
        unique = item?.casUniq;
        return item?.value;
      },
      cas: (key, value) => client.cas(key, value, {casUniq: unique}),
      get_multi: async keys => Object.fromEntries(Object.entries(await client.get(keys)).map(([key, item]) => [key, item.value])),
      close: undefined,
    }};
  },
  'memcached': address => {
    const Memcached = require('memcached');
    const client = new Memcached(address, {maxValue: 4 << 20, timeout: 5000, retry: 100, reconnect: 1000});
    const call = (method, ...args) => new Promise((resolve, reject) =>
      client[method](...args, (error, result) => error ? reject(error) : resolve(result)));
    let unique;
    const own = {
      gets: async key => {
        const item = await call('gets', key);
        unique = item?.cas;
        return item?.[key];
      },
      cas: (key, value) => call('cas', key, value, unique, 0),
      get_multi: keys => call('getMulti', keys),
      delete: key => call('del', key),
      close: () => client.end(),
    };
    for (const method of ['get', 'incr', 'decr', 'append', 'prepend', 'touch']) {
      own[method] = (...args) => call(method, ...args);
    }
    for (const method of ['set', 'add', 'replace']) {
      own[method] = (key, value) => call(method, key, value, 0);
    }
    return {client, own, ordered: false}; // commands that are not awaited use up to ten connections
  },
};

async function run({client, own, noreply, ordered}, operation, args) {
  const awaited = operation.replace(/!$/, '');
  const method = awaited in own ? own[awaited] : client[awaited]?.bind(client);
  if (!method || operation !== awaited && ordered === false) {
    return `no ${operation}`;
  }
  try {
    if (operation === awaited) {
      return await Promise.race([method(...args), setTimeout(20_000, 'no response', {ref: false})]);
    }
    method(...args, ...noreply ? [noreply] : []).catch?.(() => {});
    await setImmediate(); // until the package has sent the command
    return null;
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
}

console.log(require('../package.json').dependencies[name]);
let clients;
for await (const line of createInterface({input: process.stdin})) {
  const [client, operation, ...args] = JSON.parse(line);
  if (operation === 'new') {
    clients = await Promise.all(addresses.map(libraries[name]));
    console.log('null');
    continue;
  }
  console.log(JSON.stringify(await run(clients[client], operation, args) ?? null));
}
process.exit();
