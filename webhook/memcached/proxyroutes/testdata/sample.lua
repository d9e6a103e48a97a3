-- lua5.4 sample.lua LIBRARY DIRECTORY COUNT SEED
-- Prints schedules of the exploration as lines of JSON, with what the model says about them: COUNT random ones, and before them
-- those that lost items or brought back deleted ones with earlier routes. Schedules in which time passes, or in which a
-- request arrives after its proxy has ended, are left out, because a test cannot repeat them on real servers.
local random, seed = math.random, math.randomseed
DIRECTORY = arg[2]
local schedules = dofile(DIRECTORY .. "schedules.lua")
local history = dofile(DIRECTORY .. "history.lua")
dofile(arg[1])
seed(math.tointeger(tonumber(arg[4])))

local COMMANDS <const> = { "get", "gets", "gat", "touch", "set", "add", "replace", "append", "incr", "cas", "delete", "mg", "mg with c",
    "mg with T", "mg with N", "ms", "ms with C", "ms in mode E", "ms in mode A", "ms in mode R", "ms with q", "ma", "ma with N", "md", "md with q",
    "md with C", "md with I", "set noreply", "append noreply", "delete noreply" }
local START <const> = 1700000000000
local MARK <const> = { value = "", unique = "7885651650396779631", flags = "1836021349", expires = 1800000000 }
local ITEM <const> = { value = "5", unique = "7", flags = "0" }
local PLACES <const> = { none = {}, P = { P = ITEM, value = "5" }, moved = { P = MARK, C = ITEM, value = "5" }, deleted = { P = MARK } }
local PAIRS <const> = {
    { "before", "preparing", "none", "P" }, { "preparing", "preparing", "none", "P" },
    { "preparing", "warming", "none", "P", "moved", "deleted" }, { "warming", "warming", "none", "P", "moved", "deleted" },
    { "warming", "closing", "none", "P", "moved", "deleted" }, { "closing", "closing", "none", "P", "moved", "deleted" },
    { "closing", "after", "none", "moved", "deleted" },
}

local STORES <const> = { set = true, add = true, replace = true, append = true, cas = true, ms = true }

local function phases(old, new)
    local all = { before = { current = old }, after = { current = new } }
    for _, phase in ipairs({ "preparing", "warming", "closing" }) do
        all[phase] = { current = new, previous = old, phase = phase, marks_end = phase == "preparing" and 0 or START // 1000 + 3600 }
    end
    for phase, configuration in pairs(all) do
        all[phase] = schedules.proxies.new(configuration)
    end
    return all
end
local GROWTH <const> = phases({ "P", "2", "3" }, { "1", "2", "3", "C" })
local SHRINK <const> = phases({ "1", "2", "3", "P" }, { "C", "2", "3" })

local function quoted(text) return '"' .. text:gsub("\r\n", "\\r\\n") .. '"' end

local function list(all) return "[" .. table.concat(all, ",") .. "]" end

local function items(p, c)
    local all = {}
    for i, item in ipairs({ p or false, c or false }) do
        all[i] = item and ('{"value":"%s","flags":"%s","cas":"%s","ttl":%d,"stale":%s}'):format(item.value, item.flags, item.unique,
            item.expires and item.expires - START // 1000 or -1, tostring(item.stale == true)) or "null"
    end
    return list(all)
end

-- number returns the number of a client. The reads at the end are the commands of clients 8 and more.
local function number(case, name)
    local n = math.tointeger(tonumber(name))
    return n > 7 and n - 7 + #case.clients or n
end

-- order returns the client of each request. A negative number is a client whose proxy ends before the response.
local function order(case, run)
    local all = {}
    for _, line in ipairs(run.trace) do
        if line:find(" ends$") then
            all[#all] = -all[#all]
        elseif line:find("(late)", 1, true) then
            return nil
        else
            all[#all + 1] = number(case, line:match("^%d+"))
        end
    end
    return all
end

local function show(name, direction, case, run, verdict)
    local clients = {}
    for _, operation in ipairs(run.operations) do
        local n = number(case, operation.client)
        clients[n] = clients[n] or { phase = operation.phase, commands = {}, responses = {} }
        local r = history.request(operation.name, operation.value, "{unique}")
        table.insert(clients[n].commands, quoted(r:raw_line() .. "\r\n" .. (STORES[r.verb] and r:raw_value() or "")))
        if operation.response then
            table.insert(clients[n].responses, quoted(operation.response))
        end
    end
    for i, client in ipairs(clients) do
        clients[i] = ('{"phase":"%s","commands":%s,"responses":%s}'):format(client.phase, list(client.commands), list(client.responses))
    end
    local model = schedules.proxies.model
    print(('{"name":"%s","verdict":"%s","grow":%s,"clients":%s,"order":%s,"before":%s,"after":%s}'):format(name, verdict, direction == GROWTH,
        list(clients), list(order(case, run)), items(case.P, case.C), items(model.item(run.servers.P), model.item(run.servers.C))))
end

local function caseOf(direction, place, clients)
    local case = { proxies = direction, clients = clients, finally = {}, P = PLACES[place].P, C = PLACES[place].C, value = PLACES[place].value }
    for i, script in ipairs(clients) do
        case.finally[i] = { script[1][1], "get" }
    end
    return case
end

-- known shows the schedules of a case that have an order.
local function known(name, direction, clients, crash, pattern)
    local case = caseOf(direction, "P", clients)
    case.crash = crash
    schedules.each(case, function(run, verdict)
        local requests = order(case, run)
        if requests and schedules.proxies.model.now == START and (table.concat(requests, " ") .. " "):find(pattern) then
            show(name, direction, case, run, verdict)
        end
    end)
end

for _, direction in ipairs({ GROWTH, SHRINK }) do
    for _, phase in ipairs({ "preparing", "warming" }) do
        known("A", direction, { { { "warming", "get" } }, { { phase, "delete" } } }, true, "^1 [^-]*2 [1 ]*-1 3 ")
    end
    known("B", direction, { { { "preparing", "delete" } }, { { "warming", "get" } } }, false, "^1 .*2 .*1 3 ")
    for _, command in ipairs({ "gat", "touch", "add" }) do
        known("C", direction, { { { "warming", "get" } }, { { "warming", command } } }, false, "^1 .*2 .*1 3 ")
    end
end

local function script(phase, count)
    local all = {}
    for i = 1, count do
        all[i] = { phase, COMMANDS[random(#COMMANDS)] }
    end
    return all
end

local left = tonumber(arg[3])
while left > 0 do
    local pair = PAIRS[random(#PAIRS)]
    local clients = { script(pair[random(2)], 1), script(pair[random(2)], random(2)) }
    if random(4) == 1 then
        clients[3] = script(pair[random(2)], 1)
    end
    local direction = ({ GROWTH, SHRINK })[random(2)]
    local case = caseOf(direction, pair[random(3, #pair)], clients)
    case.crash = random(8) == 1
    local run = schedules.one(case, random)
    if order(case, run) and schedules.proxies.model.now == START then
        show("random", direction, case, run, "")
        left = left - 1
    end
end
