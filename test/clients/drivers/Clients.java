// Runs the operations of spymemcached: Clients FAILURE-MODE ADDRESS ADDRESS. cases_test.go describes them.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import net.spy.memcached.AddrUtil;
import net.spy.memcached.CASValue;
import net.spy.memcached.ConnectionFactoryBuilder;
import net.spy.memcached.FailureMode;
import net.spy.memcached.MemcachedClient;
import net.spy.memcached.transcoders.SerializingTranscoder;

class Clients {
    final MemcachedClient client;
    long unique;

    Clients(String mode, String address) throws Exception {
        var transcoder = new SerializingTranscoder();
        transcoder.setCompressionThreshold(Integer.MAX_VALUE);
        var builder = new ConnectionFactoryBuilder().setDaemon(true).setOpTimeout(1000).setTranscoder(transcoder);
        if (!mode.equals("default")) {
            builder.setFailureMode(FailureMode.valueOf(mode)).setMaxReconnectDelay(1);
        }
        client = new MemcachedClient(builder.build(), AddrUtil.getAddresses(address));
    }

    Object run(String operation, List<Object> args) throws Exception {
        var awaited = operation.replace("!", "");
        var key = args.isEmpty() ? "" : args.get(0).toString();
        var value = args.size() > 1 ? args.get(1) : "";
        Object result = switch (awaited) {
            case "get" -> client.get(key);
            case "gets" -> gets(key);
            case "get_multi" -> client.getBulk(keys(args));
            case "set" -> client.set(key, 0, value);
            case "add" -> client.add(key, 0, value);
            case "replace" -> client.replace(key, 0, value);
            case "append" -> client.append(key, value);
            case "prepend" -> client.prepend(key, value);
            case "cas" -> client.cas(key, unique, value);
            case "incr" -> client.asyncIncr(key, (Integer) value);
            case "decr" -> client.asyncDecr(key, (Integer) value);
            case "touch" -> client.touch(key, (Integer) value);
            case "delete" -> client.delete(key);
            default -> "no " + awaited;
        };
        if (!awaited.equals(operation)) {
            return null;
        }
        return result instanceof Future<?> future ? future.get() : result;
    }

    Object gets(String key) {
        CASValue<Object> item = client.gets(key);
        unique = item == null ? 0 : item.getCas();
        return item == null ? null : item.getValue();
    }

    static List<String> keys(List<Object> args) {
        return args.stream().map(Object::toString).collect(Collectors.toList());
    }

    static final Pattern WORD = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"|\\d+");

    // parse returns the strings and numbers of a request, without its structure.
    static List<Object> parse(String line) {
        var all = new ArrayList<Object>();
        for (Matcher m = WORD.matcher(line); m.find();) {
            all.add(m.group(1) == null ? (Object) Integer.valueOf(m.group()) : m.group(1)
                .replace("\\r", "\r").replace("\\n", "\n").replace("\\u0000", "\0"));
        }
        return all;
    }

    static String format(Object result) {
        if (result instanceof Map<?, ?> map) {
            return map.entrySet().stream().map(e -> format(e.getKey()) + ":" + format(e.getValue())).collect(Collectors.joining(",", "{", "}"));
        }
        if (result == null || result instanceof Boolean || result instanceof Long) {
            return String.valueOf(result);
        }
        return '"' + result.toString().replace("\\", "\\\\").replace("\"", "\\\"").replace("\r", "\\r").replace("\n", "\\n").replace("\0", "\\u0000") + '"';
    }

    public static void main(String[] args) throws Exception {
        Logger.getLogger("net.spy").setLevel(Level.OFF);
        System.setProperty("net.spy.log.LoggerImpl", "net.spy.memcached.compat.log.SunLogger");
        System.out.println("2.12"); // Debian removes the version from the jar
        var clients = new ArrayList<Clients>();
        var requests = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = requests.readLine()) != null;) {
            var words = parse(line);
            if (words.get(1).equals("new")) {
                clients.forEach(c -> new Thread(c.client::shutdown).start()); // takes a while
                clients.clear();
                for (var address : List.of(args).subList(1, args.length)) {
                    clients.add(new Clients(args[0], address));
                }
                System.out.println("null");
                continue;
            }
            Object result;
            try {
                result = clients.get((Integer) words.get(0)).run((String) words.get(1), words.subList(2, words.size()));
            } catch (ExecutionException e) {
                result = e.getCause().toString();
            } catch (Exception e) {
                result = e.toString();
            }
            System.out.println(format(result));
        }
    }
}
