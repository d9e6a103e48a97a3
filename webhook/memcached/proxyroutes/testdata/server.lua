-- A model of memcached for one key: what 1.6.45 does with the commands that clients and library.lua send.
local model = { now = 0 } -- now is the time in milliseconds

local function seconds() return model.now // 1000 end

-- new returns a server. Each counts CAS uniques from another number, as servers that have run for a while do.
function model.new(unique)
    return { unique = unique, changes = 0 }
end

-- item returns the item of a server unless its TTL has ended.
function model.item(server)
    local item = server.item
    if item and item.expires and item.expires <= seconds() then
        server.item, item = nil, nil
        server.changes = server.changes + 1
    end
    return item
end

local function expires(ttl)
    ttl = math.tointeger(tonumber(ttl or "0"))
    if ttl == 0 then
        return nil
    end
    return ttl > 60 * 60 * 24 * 30 and ttl or seconds() + ttl
end

local function put(server, item, unique)
    if item and not unique then
        server.unique = server.unique + 1
        unique = tostring(server.unique)
    end
    if item then
        item.unique = unique
    end
    server.item, server.changes = item, server.changes + 1
end

-- returned has the flags of a meta response.
local function returned(r, item)
    local text = ""
    for _, flag in ipairs(r:flags()) do
        local value = ({ k = r:key(), s = #item.value, f = item.flags, c = item.unique,
            t = item.expires and item.expires - seconds() or -1 })[flag]
        if value then
            text = text .. " " .. flag .. value
        elseif flag:find("^O") then
            text = text .. " " .. flag
        end
    end
    return text
end

local function changed(item, value)
    return { value = value, flags = item.flags, expires = item.expires }
end

local serve = {}

function serve.me(_, r, item)
    if not item then
        return "EN"
    end
    return ("ME %s exp=%d la=0 cas=%s fetch=yes cls=1 size=70"):format(r:key(), item.expires and item.expires - seconds() or -1, item.unique)
end

function serve.mg(server, r, item)
    local vivify = r:token("N")
    local created = not item
    if created then
        if not vivify then
            return "EN"
        end
        item = { value = "", flags = "0", expires = expires(vivify) }
        put(server, item)
    end
    if r:token("T") then
        item.expires = expires(r:token("T"))
        server.changes = server.changes + 1
    end
    local line = returned(r, item) .. (item.won and " Z" or "") .. (item.stale and " X" or "")
    if not item.won and (item.stale or created) then
        item.won, line = true, line .. " W"
    end
    if r:token("v") then
        return ("VA %d%s\r\n%s"):format(#item.value, line, item.value)
    end
    return "HD" .. line
end

function serve.md(server, r, item)
    local unique = r:token("C")
    if not item then
        return "NF"
    elseif unique and unique ~= item.unique then
        return "EX"
    elseif r:token("I") then
        put(server, item)
        item.stale, item.won = true, nil
        return "HD"
    end
    put(server, nil)
    return "HD"
end

function serve.ms(server, r, item)
    local mode, unique = r:token("M") or "S", r:token("C")
    local new = { value = r.body, flags = r:token("F") or "0", expires = expires(r:token("T")) }
    if mode == "A" then
        if not item and not r:token("N") then
            return "NS"
        elseif item and unique and unique ~= item.unique then
            return "EX"
        end
        new = item and changed(item, item.value .. r.body) or new
    elseif mode == "E" then
        if item then
            return "NS"
        end
    elseif unique then
        if not item then
            return "NF"
        elseif unique ~= item.unique then
            return "EX"
        end
    elseif mode == "R" and not item then
        return "NS"
    end
    put(server, new, r:token("E"))
    return "HD"
end

function serve.ma(server, r, item)
    local unique = r:token("C")
    if not item and r:token("N") then
        item = { value = r:token("J") or "0", flags = "0", expires = expires(r:token("N")) }
        put(server, item, r:token("E"))
        return r:token("v") and ("VA %d\r\n%s"):format(#item.value, item.value) or "HD"
    elseif not item then
        return "NF"
    elseif item.value ~= "" and unique and unique ~= item.unique then -- an empty item is no number, whatever its CAS unique is
        return "EX"
    elseif not item.value:find("^%d+$") then
        return "CLIENT_ERROR cannot increment or decrement non-numeric value"
    end
    local number = tostring(tonumber(item.value) + tonumber(r:token("D") or "1"))
    put(server, changed(item, number))
    return r:token("v") and ("VA %d\r\n%s"):format(#number, number) or "HD"
end

local function retrieve(server, r, item)
    if not item then
        return "END"
    end
    if r.verb == "gat" then
        item.expires = expires(r.words[2])
        server.changes = server.changes + 1
    end
    local unique = r.verb == "gets" and " " .. item.unique or ""
    return ("VALUE %s %s %d%s\r\n%s\r\nEND"):format(r:key(), item.flags, #item.value, unique, item.value)
end
serve.get, serve.gets, serve.gat = retrieve, retrieve, retrieve

function serve.touch(server, r, item)
    if not item then
        return "NOT_FOUND"
    end
    item.expires = expires(r.words[3])
    server.changes = server.changes + 1
    return "TOUCHED"
end

function serve.delete(server, _, item)
    put(server, nil)
    return item and "DELETED" or "NOT_FOUND"
end

function serve.incr(server, r, item)
    if not item then
        return "NOT_FOUND"
    elseif not item.value:find("^%d+$") then
        return "CLIENT_ERROR cannot increment or decrement non-numeric value"
    end
    local number = tostring(tonumber(item.value) + tonumber(r.words[3]))
    put(server, changed(item, number))
    return number
end

local function store(server, r, item)
    local verb = r.verb
    local new = { value = r.body, flags = r.words[3], expires = expires(r.words[4]) }
    if verb == "cas" and not item then
        return "NOT_FOUND"
    elseif verb == "cas" and item.unique ~= r.words[6] then
        return "EXISTS"
    elseif verb == "add" and item or (verb == "replace" or verb == "append") and not item then
        return "NOT_STORED"
    end
    put(server, verb == "append" and changed(item, item.value .. r.body) or new)
    return "STORED"
end
serve.set, serve.add, serve.replace, serve.append, serve.cas = store, store, store, store, store

-- serve executes a request and returns the response.
function model.serve(server, r)
    return assert(serve[r.verb], r.verb)(server, r, model.item(server)) .. "\r\n"
end

return model
