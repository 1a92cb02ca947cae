-- What wrk sends: METHOD PREFIX SUFFIX CUSTOMERS AUTHORIZATION [BODY]. Each request is about the next customer, in an
-- order that visits all of them and repeats none before.
local requests = {}
local number = 0
local count = 0

function init(args)
  local method, prefix, suffix, authorization, body = args[1], args[2], args[3], args[5], args[6]
  count = tonumber(args[4])
  local headers = { ["Authorization"] = authorization, ["Content-Type"] = "application/json" }
  for index = 0, count - 1 do
    -- 7919 is prime to every number of customers that is measured.
    local customer = (index * 7919) % count
    requests[index] = wrk.format(method, prefix .. customer .. suffix, headers, body)
  end
end

function request()
  number = number + 1
  return requests[number % count]
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format("events %d\n", summary.requests))
  io.write(string.format("seconds %f\n", summary.duration / 1e6))
  io.write(string.format("errors %d\n",
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
  for _, percent in ipairs({ 50, 95, 99, 99.9 }) do
    io.write(string.format("p%s_ms %f\n", percent, latency:percentile(percent) / 1e3))
  end
end
