-- The part of the proxy's API that library.lua uses, over the model of servers. Each request to a server is a yield of a
-- coroutine, so the exploration decides which proxy continues.
local model = dofile(DIRECTORY .. "server.lua")

local COMMANDS <const> = { "mg", "ms", "md", "ma", "me", "get", "gets", "gat", "gats", "touch", "incr", "decr", "append", "prepend",
    "replace", "cas", "add", "set", "delete" }
local COMMAND = {}
mcp = { MCMC_CODE_OK = 1, MCMC_CODE_END = 2, MCMC_CODE_NOT_FOUND = 3, MCMC_CODE_NOT_STORED = 4, MCMC_CODE_EXISTS = 5 }
for i, name in ipairs(COMMANDS) do
    COMMAND[name], mcp["CMD_" .. name:upper()] = i, i
end
local CODES <const> = {
    EN = mcp.MCMC_CODE_END, END = mcp.MCMC_CODE_END, NF = mcp.MCMC_CODE_NOT_FOUND, NOT_FOUND = mcp.MCMC_CODE_NOT_FOUND,
    NS = mcp.MCMC_CODE_NOT_STORED, NOT_STORED = mcp.MCMC_CODE_NOT_STORED, EX = mcp.MCMC_CODE_EXISTS, EXISTS = mcp.MCMC_CODE_EXISTS,
    HD = mcp.MCMC_CODE_OK,
}

-- numbers has the last random number of the command that runs, and how far the clock of its proxy is off. Each command has its own numbers,
-- which no server counts.
local numbers
function mcp.time_real_millis() return model.now + numbers.skew end
function math.random()
    numbers.last = numbers.last + 1
    return numbers.last
end

local Request = {}
Request.__index = Request

-- Requests and responses are parsed once.
local requests, responses = {}, {}

function mcp.request(line, value)
    local body = type(value) == "table" and value.body or type(value) == "string" and value:sub(1, -3) or nil
    local text = line .. (body or "")
    if not requests[text] then
        local words = {}
        for word in line:gmatch("%S+") do
            words[#words + 1] = word
        end
        requests[text] = setmetatable({ words = words, verb = words[1], body = body }, Request)
    end
    return requests[text]
end

function Request:command() return COMMAND[self.verb] end
function Request:key() return self.verb:find("^gat") and self.words[3] or self.words[2] end
function Request:raw_line() return table.concat(self.words, " ") end
function Request:raw_value() return self.body .. "\r\n" end
function Request:flags() return { table.unpack(self.words, self.verb == "ms" and 4 or 3) } end

function Request:ntokens() return #self.words end
function Request:token() end -- every line ends with CR and LF

-- flag returns the rest of the word of a flag. Only meta commands have flags.
function Request:flag(flag)
    for i = self.verb == "ms" and 4 or 3, self.verb:find("^m") and #self.words or 0 do
        if self.words[i]:sub(1, 1) == flag then
            return self.words[i]:sub(2)
        end
    end
end

function Request:has_flag(flag) return self:flag(flag) ~= nil end

function Request:flag_token(flag)
    local token = self:flag(flag)
    return token ~= nil, token ~= "" and token or nil
end

local Response = {}
Response.__index = Response

-- response returns the response for the text of a server, or of none.
local function response(text)
    local known = responses[text or ""]
    if known then
        return known
    end
    local new = setmetatable({ text = text, word = text and text:match("^[%u_]+") or "" }, Response)
    if text then
        responses[text] = new
    end
    return new
end

function Response:ok() return self.text ~= nil and not self.word:find("ERROR") end
function Response:code() return CODES[self.word] or 0 end
function Response:hit() return self:ok() and self:code() ~= mcp.MCMC_CODE_END end
function Response:elapsed() return 0 end -- every failure of a model server is that of a server that is marked as down
function Response:raw_string() return self.text end
function Response:vlen() return tonumber(self.text:match("^VA (%d+)") or self.text:match("^VALUE %S+ %d+ (%d+)") or 0) end

-- NOTHING is a response that has no text.
local NOTHING <const> = setmetatable({ text = "", word = "" }, Response)

-- sent returns what the client gets of a response: the proxy drops responses that are not wanted.
local function sent(r, res)
    if type(res) == "string" then
        return res
    elseif not res:ok() then
        return res.text or "SERVER_ERROR backend failure\r\n"
    end
    local quiet = r:has_flag("q") and #r.verb == 2
    if quiet and (res:code() == mcp.MCMC_CODE_END or r.verb ~= "mg" and res:code() == mcp.MCMC_CODE_OK) then
        return ""
    elseif r.words[#r.words] == "noreply" then
        return ""
    end
    return res.text
end

local loading
function register_route_handlers() end
function settings() end
function pools(all) loading.pools = all end
function routes(all) loading.route = all.default end
function route_servers(arguments)
    return route_servers_conf(arguments, { get_stats_id = function(_, name) return name:match("^%a+") end })
end

-- counted is the counter of the last command. No other command runs between its count and its response.
local counted
function mcp.stat(name, change)
    assert(counted == nil and change == 1, "a read counts once")
    counted = name
end

-- checkCount fails if a command has counted something else than the client sees.
local function checkCount(r, text)
    local read = r.verb == "get" or r.verb == "gets" or r.verb == "gat" or r.verb == "gats" or r.verb == "mg"
    local want = read and r:flag("O") ~= "memcached-operator-copy" and (text:find("^[VH]") and "hits" or "misses") or nil
    assert(counted == want, "a command has counted " .. tostring(counted) .. ", but the client sees " .. tostring(want))
    counted = nil
    return text
end

-- resolve returns the server of the key in a pool: the second of three servers, and the last of four.
local function resolve(pool)
    local backend = pool.backends[#pool.backends == 4 and 4 or 2]
    return type(backend) == "string" and backend or nil
end

-- poolsOf returns the pools of a configuration.
local function poolsOf(configuration)
    loading = {}
    servers(configuration)
    return loading.pools
end

-- new returns a proxy: a function that runs a request of a connection and returns the text that the client gets. Within a coroutine.
local function new(configuration)
    local pools, generator, ready = poolsOf(configuration), {}, nil
    function generator:new_handle(pool) return { server = resolve(pools[pool]) } end
    function generator:ready(arguments) ready = arguments end
    route_servers_start(loading.route, { label = function() return "" end }, generator)
    return function(r, connection)
        local used, context = {}, {}
        function context:cfd() return connection end
        function context:response_new() return NOTHING end
        function context:enqueue_and_wait(request, handle)
            assert(not used[handle], "a handle serves one request of a command")
            used[handle] = true
            return response(handle.server and coroutine.yield(request, handle.server) or nil)
        end
        function context:sleep(duration, turn) coroutine.yield(duration, turn) end
        return checkCount(r, sent(r, ready.f(context, ready.a)(r)))
    end
end

-- ofProxy reports whether an item has a CAS unique of library.lua, claims whether it is a claim on `from`.
local function ofProxy(item) return item ~= nil and math.tointeger(tonumber(item.unique)) >> 52 == 0x6d6 end
local function claims(item) return ofProxy(item) and tonumber(item.unique) & 6 ~= 0 end

return { model = model, pools = poolsOf, ofProxy = ofProxy, claims = claims, new = new, use = function(next) numbers = next end }
