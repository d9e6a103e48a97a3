-- Routes of the proxy, for memcached's routelib:
--   memcached -o proxy_config=routelib:library.lua,proxy_arg=config.lua
-- The configuration calls servers{current = {...}} or servers{current = {...}, previous = {...}} with lists of host:port.
-- With previous, the proxy warms up: an item that is missing on its current server moves there from its previous server.
-- With preparing = true, reads find such an item without moving it: proxies that already warm up with the lists the other way
-- round would move it back, and a read of another client could miss it twice in between.
--
-- One list is the beginning of the other list. A jump hash distributes the keys, so a key either keeps its server, or one
-- of its two servers is only in the longer list. Such a key moves. A pool whose first or last servers are marked as down
-- tells the two apart: a request for a key of a server that is marked as down fails within the proxy.

-- READ_TIMEOUT limits in seconds how long a request waits for a server.
local READ_TIMEOUT <const> = 1

-- memcached reads a larger TTL as a Unix time.
local MAX_RELATIVE_TTL <const> = 60 * 60 * 24 * 30

-- settings, pools and routes for the two lists
function servers(lists)
    settings{
        backend_connect_timeout = READ_TIMEOUT,
        backend_read_timeout = READ_TIMEOUT,
        backend_retry_waittime = 1, -- seconds from one attempt to connect to the next
        backend_failure_limit = 1,  -- the first failure reconnects immediately, because a client can cause it
        tcp_keepalive = true,
    }
    local current, previous = lists.current, lists.previous
    if previous == nil then
        pools{ current = { backends = current } }
        return routes{ default = route_servers{ child_current = "current" } }
    end
    local longer, shared = current, #previous
    if #previous > #current then
        longer, shared = previous, #current
    end
    local first, rest = {}, {}
    for i, server in ipairs(longer) do
        local down = { host = "moved", port = "0", label = "moved", down = true }
        first[i] = i <= shared and server or down
        rest[i] = i > shared and server or down
    end
    if longer == current then
        pools{ kept = { backends = first }, current = { backends = rest }, previous = { backends = previous } }
        return routes{ default = route_servers{
            child_kept = "kept", child_current = "current", child_previous = "previous", preparing = lists.preparing } }
    end
    pools{ current = { backends = current }, previous = { backends = rest } }
    routes{ default = route_servers{ child_current = "current", child_previous = "previous", preparing = lists.preparing } }
end

function route_servers_conf(arguments)
    return arguments
end

-- responded reports whether a server responded. It is false for a server that is down, and for a key of another pool.
local function responded(res)
    if res:ok() then
        return true
    end
    local line = res:raw_string()
    return line ~= nil and line:find("^%u*_?ERROR") ~= nil
end

local MISSING <const> = {
    [mcp.MCMC_CODE_END] = true,
    [mcp.MCMC_CODE_NOT_FOUND] = true,
    [mcp.MCMC_CODE_NOT_STORED] = true,
}

local function missing(res)
    return res:ok() and MISSING[res:code()] == true
end

local META <const> = { [mcp.CMD_MG] = true, [mcp.CMD_MS] = true, [mcp.CMD_MD] = true, [mcp.CMD_MA] = true, [mcp.CMD_ME] = true }
local GETS <const> = { [mcp.CMD_GET] = true, [mcp.CMD_GETS] = true, [mcp.CMD_GAT] = true, [mcp.CMD_GATS] = true }

-- What a command does with an item decides how it is run in a warm-up.
local READ <const>   = "read"   -- leaves the item as it is
local CHANGE <const> = "change" -- changes an item that exists
local CREATE <const> = "create" -- depends on the item being missing
local STORE <const>  = "store"  -- replaces the item
local REMOVE <const> = "remove" -- removes the item

local CLASS <const> = {
    [mcp.CMD_GET] = READ, [mcp.CMD_GETS] = READ, [mcp.CMD_ME] = READ,
    [mcp.CMD_GAT] = CHANGE, [mcp.CMD_GATS] = CHANGE, [mcp.CMD_TOUCH] = CHANGE, [mcp.CMD_INCR] = CHANGE, [mcp.CMD_DECR] = CHANGE,
    [mcp.CMD_APPEND] = CHANGE, [mcp.CMD_PREPEND] = CHANGE, [mcp.CMD_REPLACE] = CHANGE, [mcp.CMD_CAS] = CHANGE,
    [mcp.CMD_ADD] = CREATE, [mcp.CMD_SET] = STORE, [mcp.CMD_DELETE] = REMOVE,
}

-- class returns what a request does. Flags of a meta command decide.
local function class(r)
    local command = r:command()
    if not META[command] or command == mcp.CMD_ME then
        return CLASS[command] or READ
    end
    if command ~= mcp.CMD_MD and r:has_flag("N") then
        return CREATE
    end
    if command == mcp.CMD_MG then
        return r:has_flag("T") and CHANGE or READ
    end
    if command == mcp.CMD_MS then
        local _, mode = r:flag_token("M")
        if mode == "E" then
            return CREATE
        end
        return ((mode or "S") ~= "S" or r:has_flag("C")) and CHANGE or STORE
    end
    if command == mcp.CMD_MD and not (r:has_flag("C") or r:has_flag("I") or r:has_flag("x")) then
        return REMOVE
    end
    return CHANGE
end

-- base64 returns the flag for a key that the client sends encoded.
local function base64(r)
    return META[r:command()] and r:has_flag("b") and " b" or ""
end

-- miss returns the response to a read of a server that is down: a miss.
local function miss(r, null, empty)
    local command = r:command()
    if GETS[command] then
        return "END\r\n"
    end
    if r:has_flag("q") then
        null(empty, r) -- the proxy drops a quiet miss only if it is a response, not a string
        return empty
    end
    local line = "EN"
    local opaque, token = r:flag_token("O")
    if opaque then
        line = line .. " O" .. (token or "")
    end
    if r:has_flag("k") then
        line = line .. " k" .. r:key() .. base64(r)
    end
    return line .. "\r\n"
end

-- storing returns the request that stores a fetched item, and the CAS unique that both have. It returns nil for an item that
-- does not move: a stale one, one that a client is about to recache (W, X, Z), and one that expires now.
local function storing(r, res)
    local size, flags, ttl, cas, rest = res:line():match("^s(%d+) f(%d+) t(%-?%d+) c(%d+)(.*)$")
    if size == nil or rest:find("[WXZ]") or ttl == "0" then
        return nil
    end
    local expiry = ""
    if tonumber(ttl) > MAX_RELATIVE_TTL then
        expiry = " T" .. ttl + mcp.time_real_millis() // 1000
    elseif ttl ~= "-1" then
        expiry = " T" .. ttl
    end
    local line = "ms " .. r:key() .. " " .. size .. base64(r) .. " ME F" .. flags .. " E" .. cas .. expiry .. "\r\n"
    -- mcp.request(line, res) would take only the part of a large value that was in the first read.
    return mcp.request(line, res:raw_string():sub(-size - 2)), cas
end

local function route_servers_f(rctx, arg)
    local null, empty = arg.null, rctx:response_new()

    local function run(r, handle)
        return rctx:enqueue_and_wait(r, handle)
    end

    -- about runs a meta command for the key of a request.
    local function about(r, command, flags, handle)
        return run(mcp.request(command .. " " .. r:key() .. base64(r) .. flags .. "\r\n"), handle)
    end

    -- move takes the item from its previous server to its current server. It reports whether the current server may have it.
    local function move(r)
        local res = about(r, "mg", " s f t c v", arg.fetch)
        if not res:hit() then
            return missing(res) -- a concurrent request may have moved it
        end
        local request, cas = storing(r, res)
        if request == nil then
            return false
        end
        local stored = run(request, arg.store)
        if not stored:ok() or missing(stored) then
            return stored:ok() -- a concurrent request has stored an item
        end
        local removed = about(r, "md", " C" .. cas, arg.remove)
        if removed:ok() and removed:code() ~= mcp.MCMC_CODE_OK then
            about(r, "md", " C" .. cas, arg.undo) -- a concurrent request has changed or removed the item
        end
        return true
    end

    -- forget removes what the previous server may still have. It follows the command on the current server: if two proxies
    -- with opposite lists store an item at the same time, one value or none remains, but never both.
    local function forget(r, res)
        if responded(res) then
            about(r, "md", "", arg.forget)
        end
        return res
    end

    local moving = {
        [READ] = function(r)
            local res = run(r, arg.current)
            if not missing(res) then
                return res
            end
            local before = run(r, arg.before)
            if missing(before) then
                return run(r, arg.again) -- a concurrent request may have moved the item
            elseif not before:ok() then
                return res
            end
            if not arg.preparing then
                move(r)
            end
            return before
        end,
        [CHANGE] = function(r)
            local res = run(r, arg.current)
            if missing(res) and move(r) then
                res = run(r, arg.again)
            end
            return missing(res) and res or forget(r, res)
        end,
        [CREATE] = function(r)
            local found = about(r, "me", "", arg.probe) -- has no side effect, unlike mg
            if missing(found) then
                move(r)
            end
            return forget(r, found:ok() and run(r, arg.current) or found)
        end,
        [STORE] = function(r)
            return forget(r, run(r, arg.current))
        end,
        -- Here the previous server comes first. Otherwise a read between the two requests would move the item.
        [REMOVE] = function(r)
            local before = run(r, arg.forget)
            local res = run(r, arg.current)
            return missing(res) and before:ok() and before or res
        end,
    }

    local function serve(r, what)
        if arg.kept then
            local res = run(r, arg.kept)
            if responded(res) then
                return res
            end
        end
        if arg.fetch then
            return moving[what](r)
        end
        return run(r, arg.current)
    end

    return function(r)
        local command = r:command()
        local res = serve(r, arg.fetch and class(r))
        if not responded(res) and (GETS[command] or command == mcp.CMD_MG) then
            return miss(r, null, empty)
        end
        return res
    end
end

function route_servers_start(a, ctx, fgen)
    -- A handle serves one request at a time, so each step of a command has its own.
    local arg = {
        current = fgen:new_handle(a.child_current),
        null = mcp.res_mutator_new({ t = "resnull", idx = 1 }),
        preparing = a.preparing,
    }
    if a.child_kept then
        arg.kept = fgen:new_handle(a.child_kept)
    end
    if a.child_previous then
        for _, step in ipairs({ "again", "probe", "store", "undo" }) do
            arg[step] = fgen:new_handle(a.child_current)
        end
        for _, step in ipairs({ "before", "fetch", "forget", "remove" }) do
            arg[step] = fgen:new_handle(a.child_previous)
        end
    end
    fgen:ready({ a = arg, n = ctx:label(), u = 1, f = route_servers_f })
end

register_route_handlers({ "servers" })
