// spec: rpc 2.4: a batch is answered in order, without its notifications
>> [{"jsonrpc":"2.0","id":2,"method":"eth_chainId","params":[]},{"jsonrpc":"2.0","method":"eth_chainId"},{"jsonrpc":"2.0","id":1,"method":"net_version","params":[]}]
<< [{"id":2,"jsonrpc":"2.0","result":"0x539"},{"id":1,"jsonrpc":"2.0","result":"1337"}]
