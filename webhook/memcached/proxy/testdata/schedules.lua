-- Runs every schedule of a case: which client's request is executed next, and when a fault happens.
--
-- A case has clients (lists of {phase, command}), the items of `from` and `to`, and reads that follow one after the other. With fault, one
-- fault happens at any time, or none. FAULTS describes them. A client that pipelines sends its commands before it has a response: each is a
-- client of its own here, on one connection, which follows the one before, and the requests of a proxy reach a server in their order.
--
-- A schedule is not continued if another one has led to the same state: the servers, what each client has seen, and which
-- operations had finished when another one began. What follows, and what the check sees, is then the same. With exact, the
-- responses of the servers to operations that have finished count too.
local commands = dofile(DIRECTORY .. "commands.lua")
local proxies, history = commands.proxies, commands.history
local model = proxies.model
local schedules = { proxies = proxies, history = history, START = 1700000000000 }

-- LATER is longer than all TTLs of proxies and leases, in milliseconds.
local LATER <const> = 10000

local function copyOf(original)
    local copy = {}
    for key, value in pairs(original) do
        copy[key] = value
    end
    return copy
end

-- lanes iterates over the clients that a client follows.
local function lanes(run, client)
    return function()
        client = run.clients[client.follows]
        return client
    end
end

-- news returns the numbers of the commands that one follows, and that are over without its knowledge.
local function news(run, client)
    local over = ""
    for other in lanes(run, client) do
        over = other.done and not client.told:find(other.lane) and other.lane .. over or over
    end
    return over
end

-- note notes that a command of a connection begins or ends.
local function note(run, client, what)
    run.events = copyOf(run.events)
    run.events[client.connection] = (run.events[client.connection] or "") .. client.lane .. what
end

-- signature identifies the state of a run.
local function signature(run)
    local parts = { run.now, run.servers.from.state, run.servers.to.state, run.fault or "-", run.lost or "-", run.late and run.late.id or "-",
        run.partitioned and "partition" or "-" }
    for _, client in ipairs(run.clients) do
        parts[#parts + 1] = client.log
        parts[#parts + 1] = client.step and client.step.id or "-"
        parts[#parts + 1] = client.asleep and (client.asleep == run.servers and "z" or "Z") or client.over and "over"
        for before in lanes(run, client) do
            parts[#parts + 1] = client.step and client.since > before.since and "later" or ""
        end
    end
    return table.concat(parts, "|")
end

-- A run is never modified, because several runs continue from it. changed returns a copy with a client that can be modified.
local function changed(run, i)
    run = copyOf(run)
    run.clients = copyOf(run.clients)
    run.clients[i] = copyOf(run.clients[i])
    model.now = run.now
    return run, run.clients[i]
end

-- operation returns the operation of a client, which can be modified.
local function operation(run, client)
    local i = client.operation
    run.operations = copyOf(run.operations)
    run.operations[i] = copyOf(run.operations[i])
    return run.operations[i]
end

-- reach lets a client do a step of its command, which is a request, a pause or the response.
local function reach(run, client, step)
    run.steps = run.steps + 1
    client.step, client.since, client.asleep = step, run.steps, step.pause and not step.turn and run.servers or nil
    if not step.response then
        return
    end
    run.clock = run.clock + 1
    local o = operation(run, client)
    local outcome, unique = history.outcome(o.name, step.response)
    o.outcome, o.response, o.stop, client.step = outcome, step.response, o.crashed and math.huge or run.clock, nil
    if unique then
        client.unique, client.known = unique, outcome:sub(2)
    end
    run.finished, client.done = run.finished .. client.name .. ("'"):rep(client.lane - 1), true
    note(run, client, "-")
    client.log = client.log .. "=" .. (run.exact and step.id or step.response)
end

local function start(case, run, client)
    local phase, name = table.unpack(client.script[client.next])
    local value = client.name .. client.next
    client.next, client.operation, run.clock = client.next + 1, #run.operations + 1, run.clock + 1
    run.operations = copyOf(run.operations)
    run.operations[client.operation] = { name = name, value = value, known = client.known or "5", start = run.clock, stop = math.huge,
        phase = phase, client = client.name }
    client.log = client.log .. " after " .. run.finished
    local before = run.clients[client.follows]
    run.operations[client.operation].follows = before and before.operation
    client.told = ""
    client.told = news(run, client)
    local events, follows = #client.told < client.lane - 1 and run.events[client.connection] or "", {}
    for other in lanes(run, client) do
        follows[other.lane] = events ~= "" and other.script[other.last][2] or ""
    end
    note(run, client, "+")
    reach(run, client, commands.start(case.proxies[phase], name, value, client.unique or "7", events, follows))
end

-- continue lets a client do its next step after a response, or after a pause.
local function continue(run, client, got)
    local over = news(run, client)
    client.told = client.told .. over
    reach(run, client, commands.after(client.step, got, over ~= "" and over or nil))
end

-- blocked reports whether a client waits for another command of its connection: for its turn, or for a request to the same server that was
-- sent before.
local function blocked(run, client)
    for _, other in ipairs(run.clients) do
        local same = other ~= client and other.connection == client.connection
        if same and client.step and client.step.request and other.step and other.step.server == client.step.server and other.since < client.since then
            return true
        end
    end
    local before = run.clients[client.follows]
    return before and not before.operation or client.step and client.step.turn and #client.told < client.lane - 1 and news(run, client) == ""
end

-- change replaces a server. An equal one wakes nobody.
local function change(run, name, server)
    if server ~= run.servers[name] then
        run.servers = copyOf(run.servers)
        run.servers[name] = server
    end
end

local function execute(run, client, step, late)
    local unreachable = run.partitioned and step.server == "from" and client.name == "1"
    local text, server = model.serve(unreachable and model.gone or run.servers[step.server], step.request)
    if text then
        change(run, step.server, server)
    else
        operation(run, client).unreached, client.log = true, client.log .. "?"
    end
    run.trace = { before = run.trace, client = client.name, operation = run.operations[client.operation], request = step.request,
        server = step.server, text = text, late = late }
    return text
end

-- elapse lets time pass.
local function elapse(run, milliseconds)
    run.now = run.now + milliseconds
    model.now = run.now
    change(run, "from", model.unexpired(run.servers.from))
    change(run, "to", model.unexpired(run.servers.to))
end

-- lose removes the item of a server. If this server decides or will decide, the history has the loss.
local function lose(run, name, server)
    local from, item = run.servers.from.item, run.servers[name].item
    local decides = name == "from" and not proxies.claims(from) or name == "to" and (not from or proxies.ofProxy(from)) and not proxies.ofProxy(item)
    change(run, name, server)
    run.trace = { before = run.trace, client = name }
    if decides then
        run.operations = copyOf(run.operations)
        table.insert(run.operations, { name = "loss", value = "", start = run.clock + 1, crashed = true, client = name, phase = "server",
            stop = name == "to" and from and math.huge or run.clock + 2 }) -- while an owner is on `from`, readers still find the item there
        run.clock, run.lost = run.clock + 2, run.finished
        run.finished = run.finished .. "L"
    end
end

-- FAULTS are what can happen once instead of the next step of client 1, or at any time. Each changes a run.
--   crash      the proxy of client 1 ends, before or after its request is executed, or the request arrives at any later time
--   timeout    the proxy of client 1 gets no response: its request is not executed, or executed, or arrives at any later time
--   pause      no proxy does anything for LATER
--   loses      a server loses its item, because it evicts it
--   restarts   a server starts again, empty
--   gone       a server does not respond; `from` does again for the change back, empty, and with returns at any time
--   partition  the proxy of client 1 does not reach `from` until the clients have finished; with returns, for any time
local FAULTS <const> = {
    crash = function(run, client, how)
        client.over, client.step, operation(run, client).crashed = true, run.exact and client.step or nil, true
        for i, other in ipairs(run.clients) do
            if i > 1 and other.connection == client.connection and not other.over then
                run.clients[i] = copyOf(other)
                run.clients[i].over, run.clients[i].step = true, nil
                if other.operation then
                    operation(run, other).crashed = true
                end
            end
        end
        run.trace = { before = run.trace, client = client.name, how = how }
    end,
    timeout = function(run, client, how)
        operation(run, client).crashed = true
        continue(run, client, false)
    end,
    pause = function(run) elapse(run, LATER) end,
    ["from loses"] = function(run) lose(run, "from", model.without(run.servers.from)) end,
    ["to loses"] = function(run) lose(run, "to", model.without(run.servers.to)) end,
    ["from restarts"] = function(run) lose(run, "from", model.restarted()) end,
    ["to restarts"] = function(run) lose(run, "to", model.restarted()) end,
    ["from gone"] = function(run) lose(run, "from", model.gone) end,
    ["to gone"] = function(run) lose(run, "to", model.gone) end,
    ["partition"] = function(run) run.partitioned = true end,
}

-- step returns the run after a step of a client, or after a fault.
local function step(case, run, i, how)
    local run, client = changed(run, i)
    if how == "arrive" then
        local next = run.late
        run.late = nil
        execute(run, client, next, true)
        return run
    elseif how == "reach" then
        run.partitioned = nil
        change(run, "from", run.servers.from == model.gone and model.restarted() or run.servers.from)
        return run
    elseif not client.step and how ~= "fault" then
        start(case, run, client)
    end
    local next = client.step
    if how and (next or how == "fault") then
        local fault = run.fault
        run.fault = nil
        if how == "executed" then
            execute(run, client, next)
        elseif how == "late" then
            run.late = next
        end
        FAULTS[fault](run, client, how)
        return run
    end
    if not next then -- a response without a request
        return run
    end
    if client.asleep == run.servers then -- nobody else can do anything: time passes
        elapse(run, math.ceil(next.pause * 1000))
    end
    continue(run, client, next.pause and "" or execute(run, client, next))
    return run
end

-- faults adds the faults that are possible next.
local function faults(run, all)
    local client, fault = run.clients[1], run.fault
    local server = fault and fault:match("^(%l+) ")
    if fault == "from gone" or fault == "to gone" or fault == "partition" or server and run.servers[server].item then
        all[#all + 1] = { 1, "fault" }
    elseif fault == "pause" and client.step and not client.step.pause then
        all[#all + 1] = { 1, "fault" }
    elseif (fault == "crash" or fault == "timeout") and (client.step and not client.step.pause or not client.step and client.next <= client.last) then
        for _, how in ipairs({ "executed", "not executed", "late" }) do
            all[#all + 1] = { 1, how }
        end
    end
end

-- choices returns the steps that are possible next.
local function choices(case, run)
    local all, waiting = {}, {}
    for i, client in ipairs(run.clients) do
        if blocked(run, client) then
            -- another one continues first
        elseif client.asleep == run.servers then
            waiting[#waiting + 1] = { i }
        elseif not client.over and (client.step or client.next <= client.last) then
            all[#all + 1] = { i }
        end
    end
    if #all > 0 then
        faults(run, all)
        if case.returns and (run.partitioned or run.servers.from == model.gone) then
            all[#all + 1] = { 1, "reach" }
        end
    else
        table.move(waiting, 1, #waiting, 1, all)
    end
    if run.late then
        all[#all + 1] = { 1, "arrive" }
    end
    return all
end

-- newClient returns a client that sends commands of a script, or one of those on a connection, after the client that it follows.
local function newClient(name, script, only, follows)
    return { name = tostring(name), script = script, next = only or 1, last = only or #script, connection = name, lane = only or 1,
        follows = follows, log = "", since = 0 }
end

-- finish runs the commands that follow one after the other.
local function finish(case, run)
    for i, script in ipairs(case.finally) do
        run = copyOf(run)
        if script.clean then
            change(run, script.clean, model.without(run.servers[script.clean]))
        else
            run.clients = { newClient(7 + i, { script }) }
            repeat
                run = step(case, run, 1)
            until not run.clients[1].step
        end
    end
    return run
end

-- finished returns a run after the commands that follow one after the other. What they do depends only on the servers.
local function finished(case, run)
    local from, to = run.servers.from.item, run.servers.to.item
    local copies = from and to and not proxies.ofProxy(from) and not proxies.ofProxy(to)
        and not (to.value ~= case.value and to == model.new(0, case.to).item)
    run = copyOf(run)
    run.partitioned = nil
    if case.fault then
        model.now = run.now
        elapse(run, LATER)
    end
    local key = run.servers.from.state .. "|" .. run.servers.to.state .. "|" .. run.now
    local known, first = case.known[key], #run.operations
    if known and not run.exact then
        run.operations = copyOf(run.operations)
        for i, o in ipairs(known) do
            o = copyOf(o)
            o.start, o.stop = run.clock + 2 * i - 1, run.clock + 2 * i
            table.insert(run.operations, o)
        end
    else
        run = finish(case, run)
        case.known[key] = table.move(run.operations, first + 1, #run.operations, 1, {})
    end
    run.copies = copies
    return run
end

local function begin(case)
    local run = { now = schedules.START, servers = { from = model.new(10, case.from), to = model.new(1000, case.to) }, clients = {}, operations = {}, events = {},
        clock = 0, steps = 0, finished = "", exact = case.exact, fault = case.fault }
    case.known = {}
    for i, script in ipairs(case.clients) do
        table.insert(run.clients, newClient(i, script, script.pipelines and 1))
        for n = 2, script.pipelines and #script or 1 do
            table.insert(run.clients, newClient(i, script, n, #run.clients))
        end
    end
    return run
end

-- each calls visit with each run of a case, and with what the check says about it.
function schedules.each(case, visit)
    local seen = {}
    local function explore(run)
        local all = choices(case, run)
        if #all == 0 then
            run = finished(case, run)
            visit(run, history.verdict(run.operations, case.value))
        end
        for _, choice in ipairs(all) do
            local next = step(case, run, table.unpack(choice))
            local key = signature(next)
            if not seen[key] then
                seen[key] = true
                explore(next)
            end
        end
    end
    explore(begin(case))
end

-- one returns a run of a case in which choose decides: a function of the number of choices.
function schedules.one(case, choose)
    local run = begin(case)
    local all = choices(case, run)
    while #all > 0 do
        run = step(case, run, table.unpack(all[choose(#all)]))
        all = choices(case, run)
    end
    return finished(case, run)
end

-- trace returns the executed requests of a run: the client, its operation, the request, the server and the response. Without an
-- operation, the proxy of the client ended.
function schedules.trace(run)
    local all, entry = {}, run.trace
    while entry do
        table.insert(all, 1, entry)
        entry = entry.before
    end
    return all
end

return schedules
