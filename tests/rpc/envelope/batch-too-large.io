// spec: rpc 2.4: a batch above 1,000 calls
>> ${1001 calls}
<< [{"error":{"code":-32600,"message":"batch too large"},"id":1,"jsonrpc":"2.0"}]
